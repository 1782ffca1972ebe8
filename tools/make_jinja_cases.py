#!/usr/bin/env python3
"""Writes tests/data/text/jinja_cases.json: chat-template snippets and what Jinja itself makes of them.

The environment is set up as Hugging Face's transformers does for chat templates. Needs `pip install jinja2`.
A case is a template and its variables; where Jinja raises, the case's text is null.
"""
import json
import pathlib

from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from jinja_family_templates import CONVERSATIONS, FAMILIES, TOOLS


def raise_exception(message):
    raise TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Generation(Extension):
    """Hugging Face's {% generation %}: prints its body."""
    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
environment.filters["tojson"] = tojson
environment.globals["raise_exception"] = raise_exception

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": " Hi\n"},
    {"role": "assistant", "content": "Héllo <b> 'x' \"y\""},
    {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image"}]},
]
NAMES = {"messages": CHAT, "tools": TOOLS, "bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": True,
         "n": None, "t": True, "i": 7, "j": -3, "x": 2.5, "s": "  some Text here  ", "l": [3, 1, 2], "e": [],
         "d": {"b": 1, "a": {"c": [1, "z", None, True, 1.0]}}, "u": "ünï日本😀"}

EXPRESSIONS = """
1 + 2 * 3 - 4 // 3 ** 2 % 5
7 / 2
-7 // 2
-7 % 3
7 % -3
-7.5 // 2
2 ** 10
2 ** -1
-2 ** 2
1e3
1.0
0.1 + 0.2
1e16
1e-5
123456789.125
1_000
10 / 5
'a' ~ 1 ~ none ~ true ~ 1.5
'ab' * 3
[1, 2] * 2
[1] + [2, 'x']
not 1 or 2 and 3
0 or '' or 'last'
1 and 0
1 < 2 < 3
1 < 2 > 5
1 == 1.0
'1' == 1
true == 1
none == none
[1, [2]] == [1, [2.0]]
'a' < 'b'
[1, 2] < [1, 3]
2 in l
5 not in l
'b' in d
'ext' in s
not 2 in l
'yes' if t else 'no'
'yes' if n
'a' if n else 'b' if n else 'c'
messages[0]['role'] ~ messages[0].content
messages[-1].role
messages[0].missing
messages[9]
missing
missing is defined
messages[0].missing is not defined
messages | length
messages[1:] | length
messages[::2] | map(attribute='role') | join(',')
l[::-1]
l[-2:]
s[2:6] ~ '|' ~ s[:-4] ~ '|' ~ s[::3]
u[1:4]
u[0] ~ u[-1]
u | length
(1, 2)
()
(1,)[0]
[1, 'a', "it's", '"', none, true, 1.5, {'k': []}]
{'a': 1, 'b': [2]}
d.a.c
d['a']['c'][1]
d.get('b') ~ d.get('q') ~ d.get('q', 'else')
d.items() | list | length
d.keys() | list
d.values() | list | first
d | items | list | length
d | dictsort
d | length
s.strip() ~ '.'
s.lstrip() ~ '.'
s.rstrip() ~ '.'
s.strip(' so') ~ '.'
s.upper()
s.title()
'hELLO wORLD'.capitalize()
s.split()
s.split(' ')
'a,b,c'.split(',', 1)
'a,b,c'.rsplit(',', 1)
s.split(none, 1)
'x'.split('x')
'a\\nb\\r\\nc'.splitlines()
s.replace('e', 'E')
'aaa'.replace('a', 'b', 2)
'abc'.replace('', '-')
s.strip().startswith('some')
s.endswith(('x', '  '))
'abcb'.find('b') ~ 'abcb'.rfind('b') ~ 'abcb'.find('z')
'abcb'.count('b')
', '.join(['a', 'b'])
'12'.isdigit() ~ 'a1'.isalpha() ~ 'a1'.isalnum() ~ ' '.isspace()
'prefix-x'.removeprefix('prefix-')
'x.txt'.removesuffix('.txt')
'AB'.isupper() ~ 'ab'.islower() ~ '1'.isupper()
s | trim
s | trim | upper | lower | capitalize
s | title
u | upper
'ÀÉ' | lower
l | sort
l | sort(reverse=true)
['b', 'A', 'c'] | sort
['b', 'A', 'c'] | sort(case_sensitive=true)
messages | sort(attribute='role') | map(attribute='role') | list
l | first ~ l | last
e | first
l | reverse | list
'abc' | reverse
l | sum
l | max ~ l | min
[1, 1, 2, 'a', 'A'] | unique | list
l | join('-')
['a', 1, none] | join
l | length
l | batch(2) | list
l | batch(2, 0) | list
missing | default('d')
'' | default('d')
'' | default('d', true)
n | default('d')
missing | d(5)
'42' | int
'4.7' | int
'x' | int
'x' | int(9)
4.7 | int
'1.5' | float
2.5 | round
3.5 | round
2.567 | round(2)
2.1 | round(0, 'ceil')
-5 | abs
'<a href="x">\\'&' | e
1 | string ~ 1.0 | string
l | string
'a\\nb\\n\\nc' | indent(2)
'a\\nb' | indent(2, true)
'x' | replace('x', 'y')
l | list
u | list
messages | selectattr('role', 'equalto', 'user') | list | length
messages | rejectattr('role', 'eq', 'user') | map(attribute='role') | list
messages | selectattr('content') | list | length
[0, 1, '', 'a'] | select | list
[0, 1, 2, 3] | select('odd') | list
[0, 1, 2, 3] | reject('gt', 1) | list
['a', 'b'] | map('upper') | join
['a ', ' b'] | map('trim') | list
['ab', 'bc'] | map('replace', 'b', 'x') | list
tools | tojson
tools | tojson(indent=2)
d | tojson(sort_keys=true)
d | tojson(separators=(',', ':'))
"q\\"\\\\\\n\\t\\u0001é" | tojson
"é😀" | tojson(ensure_ascii=true)
[1.0, 1e20, -0.5, none, true] | tojson
[] | tojson ~ {} | tojson
[] | tojson(indent=2)
i is odd
i is even
i is divisibleby 7
i is divisibleby(2)
x is float
x is number ~ i is integer ~ t is boolean ~ t is integer
t is true ~ t is false
s is string ~ s is iterable ~ s is mapping ~ s is sequence
d is mapping ~ d is iterable ~ l is sequence
n is none
n is not none
i is eq 7 ~ i is ne 7 ~ i is lt 8 ~ i is ge 8
1 is in [1, 2]
'abc' is lower ~ 'ABC' is upper
raise_exception is defined ~ raise_exception is callable
range(3) | list
range(1, 8, 3) | list
range(5, 0, -2) | list
dict(a=1, b=2)
'\\x41\\u00e9\\t\\q'
"a" "b" 'c'
1 if 2 is odd else 3
-1 | abs
(i | string) ~ 'x'
not s is string
l[0] + l[1] * l[2]
{'a': {'b': 1}}.a.b
'%' ~ '%}' ~ '}}'
messages[0]['content'][0:2]
true and not false
'a' in ['a'] and 'b' not in ['a']
l | map('string') | join('+')
none | string
none ~ ''
"a b  c-d é_1" | wordcount
"one two three four five" | truncate(12)
"one two three four five" | truncate(12, true)
"one two three four five" | truncate(12, false, "", 0)
"one two" | truncate(3)
messages | groupby("role") | map("first") | list
[{"k": "B", "v": 1}, {"k": "a", "v": 2}, {"k": "b", "v": 3}] | groupby("k")
[{"k": 1}, {"v": 2}] | groupby("k", default=0) | length
"x" | truncate(2, end="....")
""".strip().split("\n")

TEMPLATES = [
    "plain\n",
    "plain\n\n",
    "a{# comment #}b\n  {# line #}\nc",
    "{% if t %}\n  yes\n{% else %}\n  no\n{% endif %}\nend\n",
    "  {% if t %}x{% endif %}\n y",
    "a  {%- if t -%}  x  {%- endif -%}  b",
    "a {%+ if t %} x {%+ endif %} b",
    "a\n  {%+ if t +%}\nx\n  {% endif %}\nb",
    "{{- s -}} | {{ s }}",
    "a\n{{ i }}\nb\n",
    "{% for m in messages %}{{ loop.index }}/{{ loop.length }} {{ m.role }}{% if not loop.last %}, {% endif %}{% endfor %}",
    "{% for m in messages if m.role == 'user' %}{{ loop.index0 }}{{ loop.first }}{{ loop.revindex }}{% endfor %}",
    "{% for x in [] %}x{% else %}none{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for k in d %}{{ k }};{% endfor %}",
    "{% for c in u %}{{ c }}-{% endfor %}",
    "{% for x in [1,2,3,4] %}{% if x == 2 %}{% continue %}{% endif %}{% if x == 4 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% for x in l %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {{ loop.cycle('a', 'b') }};{% endfor %}",
    "{% for x in [1,2] %}{% for y in [1,2] %}{{ x * y }}{{ loop.index }} {% endfor %}{{ loop.index }}\n{% endfor %}",
    "{% set a = 1 %}{% for x in l %}{% set a = x %}{% endfor %}{{ a }}",
    "{% set ns = namespace(a=1, b='x') %}{% for x in l %}{% set ns.a = ns.a + x %}{% endfor %}{{ ns.a }}{{ ns.b }}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set a %}block {{ i }}\n{% endset %}[{{ a }}]",
    "{% if n %}1{% elif i > 5 %}2{% elif true %}3{% else %}4{% endif %}",
    "{% macro greet(name, mark='!') %}Hi {{ name }}{{ mark }}{% endmacro %}{{ greet('a') }} {{ greet('b', mark='?') }}",
    "{% macro count(k) %}{% if k > 0 %}{{ k }}{{ count(k - 1) }}{% endif %}{% endmacro %}{{ count(5) }}",
    "{% set q = 5 %}{% macro f() %}{{ q }}{{ i }}{% endmacro %}{{ f() }}",
    "{% raw %}{{ not }} {% this %}{% endraw %} {{ i }}",
    "{{ '{{' }} {{ \"}}\" }} {{ '{%' }}",
    "{{ {'a': {'b': [1]}} }}",
    "{{ missing.attribute }}",
    "{{ messages[0].missing.more }}",
    "{{ 1 + 'a' }}",
    "{{ 1 / 0 }}",
    "{{ raise_exception('no') }}",
    "{{ l.append(4) }}",
    "{% for x in none %}{% endfor %}",
    "{{ n.x }}",
    "{{ 1 | nofilter }}",
    "{{ 1 is notest }}",
    "{% if %}{% endif %}",
    "{% if t %}",
    "{% endif %}",
    "{{ i",
    "{{ i }",
    "{{ (1 }}",
    "{% nonsense %}",
    "{{ 'abc }}",
    "{{ i i }}",
    "{%- for m in messages %}\n    {%- if m.role == 'user' %}\n        {{- '<u>' + (m.content if m.content is string else m.content | selectattr('type', 'equalto', 'text') | map(attribute='text') | join) + '</u>' }}\n    {%- else %}\n        {{- '<' ~ m.role ~ '>' ~ m.content | trim ~ '\\n' }}\n    {%- endif %}\n{%- endfor %}\n{%- if add_generation_prompt %}\n    {{- '<a>' }}\n{%- endif %}\n",
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}{% set system = false %}{% endif %}{% for message in loop_messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate') }}{% endif %}{% if loop.index0 == 0 and system != false %}{% set content = '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' + message['content'] %}{% else %}{% set content = message['content'] %}{% endif %}{% if message['role'] == 'user' %}{{ '[INST] ' + content | string | trim + ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' ' + content | trim + ' ' + eos_token }}{% endif %}{% endfor %}",
    "{%- if tools %}\n# Tools\n{%- for tool in tools %}\n{{ tool | tojson }}\n{%- for name, p in tool.function.parameters.properties.items() %}\n  {{ name }}: {{ p.type }}{{ ' (' ~ p.enum | join('|') ~ ')' if p.enum is defined }}{{ ' = ' ~ p.default if p.default is defined }}{{ ' required' if name in tool.function.parameters.required }}\n{%- endfor %}\n{%- endfor %}\n{%- endif %}\n",
    "{% for message in messages | reverse %}{% set outer = loop %}{% for x in [1] %}{{ outer.index }}{% endfor %}{{ message.role[0] }}{% endfor %}",
    "{% set parts = 'think</think>answer'.split('</think>') %}{{ parts[0] }}|{{ parts[-1].lstrip('\\n') }}",
    "{% if messages is defined and messages[0].role == 'system' and 'brief' in messages[0].content %}ok{% endif %}",
    "a\r\nb\r{{ i }}\r\n",
    "{% set x %}{% for m in messages[:2] %}{{ m.content }}{% endfor %}{% endset %}{{ x | trim }}",
    "line\n\t {% if t %}\n\tx\n\t {% endif %}  \ny",
    "{% for i in range(3) -%}\n  {{ i }}\n{%- endfor %}",
]


def case(template):
    try:
        return {"template": template, "text": environment.from_string(template).render(**NAMES)}
    except Exception:
        return {"template": template, "text": None}


def family_case(name, number):
    one = {"template": name, "conversation": number}
    try:
        return {**one, "text": environment.from_string(FAMILIES[name]).render(**CONVERSATIONS[number])}
    except Exception as error:
        return {**one, "text": None, "error": error.message if type(error) is TemplateError else ""}


cases = [case("{{ " + expression + " }}") for expression in EXPRESSIONS] + [case(template) for template in TEMPLATES]
path = pathlib.Path(__file__).parent.parent / "tests/data/text/jinja_cases.json"
path.parent.mkdir(parents=True, exist_ok=True)
lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in cases)
family_cases = [family_case(name, number) for name in FAMILIES for number in range(len(CONVERSATIONS))]


def listed(items):
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in items) + "]"


path.write_text('{"variables": ' + json.dumps(NAMES, ensure_ascii=False) + ',\n"cases": [\n' + lines + "\n],\n\"families\": "
                + json.dumps(FAMILIES, ensure_ascii=False, indent=0) + ",\n\"conversations\": " + listed(CONVERSATIONS) + ",\n\"family_cases\": " + listed(family_cases) + "}\n")
print(len(family_cases), "family cases,", sum(one["text"] is None for one in family_cases), "of them errors;", len(cases), "cases,", sum(one["text"] is None for one in cases), "of them errors")
