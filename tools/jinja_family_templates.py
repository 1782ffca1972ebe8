"""Chat templates and conversations for make_jinja_cases.py.

The templates were written for this test, in the ways that the published templates of model families are written.
"""

TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {
    "a": {"type": "string", "enum": ["x", "ÿ"]}, "b": {"type": "number", "default": 1.5}}, "required": ["a"]}}}]
FAMILIES = {}
FAMILIES["llama-3.1"] = """{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not tools_in_user is defined %}
    {%- set tools_in_user = true %}
{%- endif %}
{%- if not date_string is defined %}
    {%- if strftime_now is defined and false %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "01 Feb 2003" %}
    {%- endif %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{#- The system turn is taken off the front, so that it can carry the tools. #}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_text = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_text = "" %}
{%- endif %}
{{- "<|head|>system<|body|>\n\n" }}
{%- if builtin_tools is defined or tools is not none %}
    {{- "Environment: terminal\n" }}
{%- endif %}
{%- if builtin_tools is defined %}
    {{- "Built in: " + builtin_tools | reject('equalto', 'interpreter') | join(", ") + "\n\n"}}
{%- endif %}
{{- "Today: " + date_string + "\n\n" }}
{%- if tools is not none and not tools_in_user %}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\n\n" }}
    {%- endfor %}
{%- endif %}
{{- system_text }}
{{- "<|end|>" }}
{%- if tools_in_user and not tools is none %}
    {%- if messages | length != 0 %}
        {%- set first_text = messages[0]['content']|trim %}
        {%- set messages = messages[1:] %}
    {%- else %}
        {{- raise_exception("There is no first user turn to put the tools into.") }}
{%- endif %}
    {{- '<|head|>user<|body|>\n\n' -}}
    {{- "Answer with a call of one of these:\n\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\n\n" }}
    {%- endfor %}
    {{- first_text + "<|end|>"}}
{%- endif %}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|head|>' + message['role'] + '<|body|>\n\n'+ message['content'] | trim + '<|end|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("One call at a time, please.") }}
        {%- endif %}
        {%- set call = message.tool_calls[0].function %}
        {{- '<|head|>assistant<|body|>\n\n' -}}
        {{- '{"name": "' + call.name + '", ' }}
        {{- '"parameters": ' }}
        {{- call.arguments | tojson }}
        {{- "}" }}
        {{- "<|end|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|head|>ipython<|body|>\n\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|end|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|head|>assistant<|body|>\n\n' }}
{%- endif %}
"""
FAMILIES["llama-2"] = """{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}{% set instructions = messages[0]['content'] %}{% else %}{% set rest = messages %}{% set instructions = false %}{% endif %}{% for message in rest %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Turns must go user, assistant, user, assistant and so on.') }}{% endif %}{% if loop.index0 == 0 and instructions != false %}{% set text = '<<S>>\\n' + instructions + '\\n<</S>>\\n\\n' + message['content'] %}{% else %}{% set text = message['content'] %}{% endif %}{% if message['role'] == 'user' %}{{ bos_token + '[I] ' + text.strip() + ' [/I]' }}{% elif message['role'] == 'assistant' %}{{ ' '  + text.strip() + ' ' + eos_token }}{% endif %}{% endfor %}"""
FAMILIES["mistral-v1"] = """{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('The roles take turns: user, assistant.') }}{% endif %}{% if message['role'] == 'user' %}{{ '[I] ' + message['content'] + ' [/I]' }}{% elif message['role'] == 'assistant' %}{{ message['content'] + eos_token + ' ' }}{% else %}{{ raise_exception('Only the roles user and assistant are known.') }}{% endif %}{% endfor %}"""
FAMILIES["mistral-v3"] = """{%- if messages[0]["role"] == "system" %}
    {%- set instructions = messages[0]["content"] %}
    {%- set turns = messages[1:] %}
{%- else %}
    {%- set turns = messages %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- set user_turns = turns | selectattr("role", "equalto", "user") | list %}
{#- Calls and their results stand between a user's turn and the answer. #}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in turns %}
    {%- if not (message.role == "tool" or message.role == "tool_results" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("After the optional system turn the roles must take turns.") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in turns %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == user_turns[-1]) %}
            {{- "[TOOLS] [" }}
            {%- for tool in tools %}
                {%- set tool = tool.function %}
                {{- '{"type": "function", "function": {' }}
                {%- for key, val in tool.items() if key != "return" %}
                    {%- if val is string %}
                        {{- '"' + key + '": "' + val + '"' }}
                    {%- else %}
                        {{- '"' + key + '": ' + val|tojson }}
                    {%- endif %}
                    {%- if not loop.last %}
                        {{- ", " }}
                    {%- endif %}
                {%- endfor %}
                {{- "}}" }}
                {%- if not loop.last %}
                    {{- ", " }}
                {%- else %}
                    {{- "]" }}
                {%- endif %}
            {%- endfor %}
            {{- "[/TOOLS]" }}
        {%- endif %}
        {%- if loop.last and instructions is defined %}
            {{- "[I] " + instructions + "\n\n" + message["content"] + "[/I]" }}
        {%- else %}
            {{- "[I] " + message["content"] + "[/I]" }}
        {%- endif %}
    {%- elif message.tool_calls is defined and message.tool_calls is not none %}
        {{- "[CALLS] [" }}
        {%- for tool_call in message.tool_calls %}
            {%- set out = tool_call.function|tojson %}
            {{- out[:-1] }}
            {%- if not tool_call.id is defined or tool_call.id|length != 9 %}
                {{- raise_exception("The id of a call has nine letters.") }}
            {%- endif %}
            {{- ', "id": "' + tool_call.id + '"}' }}
            {%- if not loop.last %}
                {{- ", " }}
            {%- else %}
                {{- "]" + eos_token }}
            {%- endif %}
        {%- endfor %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token}}
    {%- elif message["role"] == "tool_results" or message["role"] == "tool" %}
        {%- if message.content is defined and message.content.content is defined %}
            {%- set content = message.content.content %}
        {%- else %}
            {%- set content = message.content %}
        {%- endif %}
        {{- '[RESULTS] {"content": ' + content|string + ", " }}
        {{- '"call_id": "' + message.tool_call_id + '"}[/RESULTS]' }}
    {%- else %}
        {{- raise_exception("Known roles: user, assistant, tool.") }}
    {%- endif %}
{%- endfor %}
"""
FAMILIES["mistral-v7"] = """{%- set default_system = 'Careful by default.' %}
{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
    {%- if messages[0]['content'] is string %}
        {%- set system = messages[0]['content'] %}
    {%- else %}
        {%- set system = messages[0]['content'][0]['text'] %}
    {%- endif %}
    {%- set turns = messages[1:] %}
{%- else %}
    {%- set system = default_system %}
    {%- set turns = messages %}
{%- endif %}
{{- '[SYSTEM]' + system + '[/SYSTEM]' }}
{%- for message in turns %}
    {%- if message['role'] == 'user' %}
        {%- if message['content'] is string %}
            {{- '[I]' + message['content'] + '[/I]' }}
        {%- else %}
            {{- '[I]' }}
            {%- for part in message['content'] %}
                {%- if part['type'] == 'text' %}
                    {{- part['text'] }}
                {%- elif part['type'] in ['image', 'image_url'] %}
                    {{- '[IMG]' }}
                {%- else %}
                    {{- raise_exception('Parts are text or pictures.') }}
                {%- endif %}
            {%- endfor %}
            {{- '[/I]' }}
        {%- endif %}
    {%- elif message['role'] == 'system' %}
        {{- '[SYSTEM]' + message['content'] + '[/SYSTEM]' }}
    {%- elif message['role'] == 'assistant' %}
        {%- if message['content'] is string %}
            {{- message['content'] + eos_token }}
        {%- elif message['content'] %}
            {{- message['content'][0]['text'] + eos_token }}
        {%- endif %}
        {%- for call in message.tool_calls or [] %}
            {{- '[CALL]' ~ call.function.name ~ '[ARGS]' ~ (call.function.arguments if call.function.arguments is string else call.function.arguments | tojson) }}
        {%- endfor %}
    {%- elif message['role'] == 'tool' %}
        {{- '[RESULT]' ~ message.content ~ '[/RESULT]' }}
    {%- else %}
        {{- raise_exception('Known roles: user, system, assistant, tool.') }}
    {%- endif %}
{%- endfor %}
"""
FAMILIES["qwen2.5"] = """{%- if tools %}
    {{- '<|start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'Helpful by default.' }}
    {%- endif %}
    {{- "\\n\\n# Tools\\n\\nSignatures, a line each:\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools>\\n\\nA call:\\n<call>\\n{\\"name\\": <name>, \\"arguments\\": <object>}\\n</call><|stop|>\\n" }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|start|>system\\n' + messages[0]['content'] + '<|stop|>\\n' }}
    {%- else %}
        {{- '<|start|>system\\nHelpful by default.<|stop|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|start|>' + message.role + '\\n' + message.content + '<|stop|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}
                {%- set tool_call = tool_call.function %}
            {%- endif %}
            {{- '\\n<call>\\n{"name": "' }}
            {{- tool_call.name }}
            {{- '", "arguments": ' }}
            {{- tool_call.arguments | tojson }}
            {{- '}\\n</call>' }}
        {%- endfor %}
        {{- '<|stop|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|start|>user' }}
        {%- endif %}
        {{- '\\n<result>\\n' }}
        {{- message.content }}
        {{- '\\n</result>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|stop|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start|>assistant\\n' }}
{%- endif %}
"""
FAMILIES["qwen3"] = """{%- set ns = namespace(in_steps=true, last_question=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.in_steps and message.role == "user" and message.content is string and not(message.content.startswith('<result>') and message.content.endswith('</result>')) %}
        {%- set ns.in_steps = false %}
        {%- set ns.last_question = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|start|>' + message.role + '\\n' + content + '<|stop|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning = message.reasoning_content %}
        {%- else %}
            {%- if '</think>' in content %}
                {%- set reasoning = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
                {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
            {%- endif %}
        {%- endif %}
        {%- if loop.index0 > ns.last_question %}
            {%- if loop.last or (not loop.last and reasoning) %}
                {{- '<|start|>' + message.role + '\\n<think>\\n' + reasoning.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
            {%- else %}
                {{- '<|start|>' + message.role + '\\n' + content }}
            {%- endif %}
        {%- else %}
            {{- '<|start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}
                {%- if (loop.first and content) or (not loop.first) %}
                    {{- '\\n' }}
                {%- endif %}
                {{- '<call>' + tool_call.function.name }}
                {%- if tool_call.function.arguments is string %}
                    {{- tool_call.function.arguments }}
                {%- else %}
                    {{- tool_call.function.arguments | tojson }}
                {%- endif %}
                {{- '</call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|stop|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|start|>user' }}
        {%- endif %}
        {{- '\\n<result>\\n' + content + '\\n</result>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|stop|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""
FAMILIES["phi-3"] = """{% for message in messages %}{% if message['role'] == 'system' and message['content'] %}{{'<|system|>
' + message['content'] + '<|end|>
'}}{% elif message['role'] == 'user' %}{{'<|user|>
' + message['content'] + '<|end|>
'}}{% elif message['role'] == 'assistant' %}{{'<|assistant|>
' + (message['content'] or '') + '<|end|>
'}}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>
' }}{% else %}{{ eos_token }}{% endif %}"""
FAMILIES["gemma-2"] = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('A system turn is not taken.') }}{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('The roles must go user, assistant, user ...') }}{% endif %}{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}{{ '<turn>' + role + '
' + message['content'] | trim + '<end>
' }}{% endfor %}{% if add_generation_prompt %}{{'<turn>model
'}}{% endif %}"""
FAMILIES["gemma-3"] = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- if messages[0]['content'] is string -%}
        {%- set first_prefix = messages[0]['content'] + '

' -%}
    {%- else -%}
        {%- set first_prefix = messages[0]['content'][0]['text'] + '

' -%}
    {%- endif -%}
    {%- set turns = messages[1:] -%}
{%- else -%}
    {%- set first_prefix = "" -%}
    {%- set turns = messages -%}
{%- endif -%}
{%- for message in turns -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("The roles must go user, assistant, user ...") }}
    {%- endif -%}
    {%- if (message['role'] == 'assistant') -%}
        {%- set role = "model" -%}
    {%- else -%}
        {%- set role = message['role'] -%}
    {%- endif -%}
    {{ '<turn>' + role + '
' + (first_prefix if loop.first else "") }}
    {%- if message['content'] is string -%}
        {{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}
            {%- if item['type'] == 'image' -%}
                {{ '<picture>' }}
            {%- elif item['type'] == 'text' -%}
                {{ item['text'] | trim }}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {{ raise_exception("The content is of no known kind.") }}
    {%- endif -%}
    {{ '<end>
' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{ '<turn>model
' }}
{%- endif -%}
"""
FAMILIES["smollm2"] = """{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|start|>system
Kind by default.<|stop|>
' }}{% endif %}{{'<|start|>' + message['role'] + '
' + message['content'] + '<|stop|>' + '
'}}{% endfor %}{% if add_generation_prompt %}{{ '<|start|>assistant
' }}{% endif %}"""
FAMILIES["smollm3"] = """{%- if enable_thinking is not defined -%}
{%- set enable_thinking = true -%}
{%- endif -%}
{%- if enable_thinking -%}
  {%- set mode = "/think" -%}
{%- else -%}
  {%- set mode = "/no_think" -%}
{%- endif -%}
{{- "<|start|>system\n" -}}
{%- if messages[0].role == "system" -%}
  {%- set system_text = messages[0].content -%}
  {%- if "/no_think" in system_text -%}
    {%- set mode = "/no_think" -%}
  {%- elif "/think" in system_text -%}
    {%- set mode = "/think" -%}
  {%- endif -%}
  {%- set custom = system_text.replace("/no_think", "").replace("/think", "").rstrip() -%}
{%- endif -%}
{%- if "/override" in (system_text | default("")) -%}
  {{- custom.replace("/override", "").rstrip() -}}
{%- else -%}
  {{- "## Facts\n\n" -}}
  {{- "Mode: " ~ mode ~ "\n\n" -}}
  {{- "## Own\n\n" -}}
  {%- if custom -%}
    {{- custom + "\n\n" -}}
  {%- endif -%}
  {%- if xml_tools or python_tools or tools -%}
    {{- "### Tools\n\n" -}}
    {%- set ns = namespace(text="one a line: <tools>\n") -%}
    {%- for tool in (xml_tools or tools or []) -%}
      {%- set ns.text = ns.text ~ (tool | string) ~ "\n" -%}
    {%- endfor -%}
    {{- ns.text + "</tools>" -}}
    {{- "\n\n" -}}
  {%- endif -%}
  {{- "<|stop|>\n" -}}
{%- endif -%}
{%- for message in messages -%}
    {%- set content = message.content if message.content is string else "" -%}
    {%- if message.role == "user" -%}
        {{ "<|start|>" + message.role + "\n"  + content + "<|stop|>\n" }}
    {%- elif message.role == "assistant" -%}
        {% generation %}
        {%- if mode == "/think" -%}
            {{ "<|start|>assistant\n" + content.lstrip("\n") + "<|stop|>\n" }}
        {%- else -%}
            {{ "<|start|>assistant\n" + "<think>\n\n</think>\n" + content.lstrip("\n") + "<|stop|>\n" }}
        {%- endif -%}
        {% endgeneration %}
    {%- elif message.role == "tool" -%}
    {{ "<|start|>" + "user\n"  + content + "<|stop|>\n" }}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {%- if mode == "/think" -%}
        {{ "<|start|>assistant\n" }}
    {%- else -%}
        {{ "<|start|>assistant\n" + "<think>\n\n</think>\n"  }}
    {%- endif -%}
{%- endif -%}
"""
FAMILIES["deepseek"] = """{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}{% set ns = namespace(is_first=false, is_tool=false, is_output_first=true, system='', is_first_sp=true) %}{%- for message in messages %}{%- if message['role'] == 'system' %}{%- if ns.is_first_sp %}{% set ns.system = ns.system + message['content'] %}{% set ns.is_first_sp = false %}{%- else %}{% set ns.system = ns.system + '\n\n' + message['content'] %}{%- endif %}{%- endif %}{%- endfor %}{{ bos_token }}{{ ns.system }}{%- for message in messages %}{%- if message['role'] == 'user' and message['content'] is string %}{%- set ns.is_tool = false -%}{{'<｜U｜>' + message['content']}}{%- endif %}{%- if message['role'] == 'assistant' and 'tool_calls' in message %}{%- set ns.is_tool = false -%}{%- for tool in message['tool_calls'] %}{%- if not ns.is_first %}{%- if message['content'] is none %}{{'<｜A｜><｜calls｜>' + tool['type'] + '<｜sep｜>' + tool['function']['name'] + '\n' + '```json' + '\n' + tool['function']['arguments'] | tojson + '\n' + '```'}}{%- else %}{{'<｜A｜>' + message['content'] + '<｜calls｜>' + tool['type'] + '<｜sep｜>' + tool['function']['name']}}{%- endif %}{%- set ns.is_first = true -%}{%- else %}{{'\n<｜call｜>' + tool['type'] + tool['function']['name']}}{%- endif %}{%- endfor %}{{'<｜calls end｜>'}}{%- endif %}{%- if message['role'] == 'assistant' and 'tool_calls' not in message %}{%- if ns.is_tool %}{{'<｜outputs end｜>' + message['content'] + eos_token}}{%- set ns.is_tool = false -%}{%- else %}{% set content = message['content'] %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}{{'<｜A｜>' + content + eos_token}}{%- endif %}{%- endif %}{%- if message['role'] == 'tool' %}{%- set ns.is_tool = true -%}{%- if ns.is_output_first %}{{'<｜outputs｜>' + message['content']}}{%- set ns.is_output_first = false %}{%- else %}{{'\n<｜output｜>' + message['content']}}{%- endif %}{%- endif %}{%- endfor -%}{% if ns.is_tool %}{{'<｜outputs end｜>'}}{% endif %}{% if add_generation_prompt and not ns.is_tool %}{{'<｜A｜>'}}{% endif %}"""
FAMILIES["command-r"] = """{{ bos_token }}
{%- macro document_turn(documents) -%}
{# a macro with loops and filters of its own #}
{%- for document in documents %}
Document {{ loop.index0 }}: {{ document.title | default("untitled") | title }}
{{ document | dictsort | map("first") | join("/") }}
{%- endfor -%}
{%- endmacro -%}
{%- macro json_type(spec, required=false) -%}
    {%- if spec.type == "array" -%}List[{{ json_type(spec["items"], required=true) }}]
    {%- elif spec.type == "object" -%}Dict[{% for name, inner in spec.properties.items() | sort %}{{ name }}: {{ json_type(inner) }}{{ ", " if not loop.last }}{% endfor %}]
    {%- else -%}
        {{- {"string": "str", "number": "float", "integer": "int"}.get(spec.type, spec.type) -}}
    {%- endif -%}
    {{- "" if required else "?" -}}
{%- endmacro -%}
{%- if tools %}
{% for tool in tools %}
def {{ tool.function.name }}(
{%- for name, spec in (tool.function.parameters.properties | default({})).items() %}
{{- name }}: {{ json_type(spec, name in (tool.function.parameters.required or [])) }}{% if not loop.last %}, {% endif %}
{%- endfor %}) -> List[Dict]:
    \"\"\"{{ tool.function.description | default("No words.") | indent(4) | truncate(60) }}\"\"\"
    pass
{% endfor %}
{%- endif %}
{%- if documents %}{{ document_turn(documents) }}{% endif %}
{%- for role, group in messages | groupby("role") %}
{{ role }}: {{ group | length }} {{ group | map(attribute="content") | select("string") | map("wordcount") | sum }}
{%- endfor %}
{%- for message in messages | rejectattr("role", "in", ["system"]) %}
{%- set mark = loop.cycle("<odd>", "<even>") %}
{{ mark }}{{ message.role | upper }}{{ loop.previtem.role[0] if loop.previtem is defined }}: {{ (message.content if message.content is string else message.content | tojson) | trim | replace("\\n", " ") }}
{%- endfor %}
{%- if add_generation_prompt %}
<bot>{% endif %}"""

CALL = {"type": "function", "id": "abcdefghi", "function": {"name": "f", "arguments": {"a": "x", "n": [1, 2.5, None, True], "é": {"k": ""}}}}
HELLO = [{"role": "user", "content": " Hello\n"}]
LONG = HELLO + [{"role": "assistant", "content": "<think>\nwhy\n</think>\n\nHi \u201cyou\u201d."}, {"role": "user", "content": "Again <b>"}]
STEPS = LONG + [{"role": "assistant", "content": None, "tool_calls": [CALL]}, {"role": "tool", "content": "1.5", "tool_call_id": "abcdefghi"},
                {"role": "tool", "content": "two", "tool_call_id": "abcdefghi"}, {"role": "assistant", "content": "So.", "reasoning_content": "\nbecause\n"}]
SYSTEM = {"role": "system", "content": "Be brief. /no_think "}
DEEP = [{"type": "function", "function": {"name": "g", "description": "Looks for things\nin many places, with a description that goes on for long.", "parameters": {
    "type": "object", "properties": {"q": {"type": "array", "items": {"type": "object", "properties": {"z": {"type": "integer"}, "b": {"type": "string"}}}}, "k": {"type": "number"}},
    "required": ["q"]}}}]
DEFAULTS = {"bos_token": "<s>", "eos_token": "</s>", "tools": None, "documents": None, "add_generation_prompt": True}
CONVERSATIONS = [{**DEFAULTS, **one} for one in (
    {"messages": HELLO}, {"messages": HELLO, "add_generation_prompt": False}, {"messages": LONG}, {"messages": [SYSTEM] + LONG}, {"messages": STEPS, "tools": TOOLS + DEEP},
    {"messages": [SYSTEM] + STEPS, "tools": DEEP, "enable_thinking": False, "tools_in_user": False, "builtin_tools": ["search", "interpreter"]},
    {"messages": STEPS[:-1], "add_generation_prompt": True}, {"messages": HELLO + HELLO}, {"messages": LONG[1:]}, {"messages": [{"role": "judge", "content": "No."}]},
    {"messages": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": " what? "}]}]},
    {"messages": LONG, "documents": [{"title": "a tale", "text": "x"}, {"text": "y"}], "date_string": "today", "custom_tools": DEEP},
    {"messages": [SYSTEM], "tools": TOOLS}, {"messages": HELLO + [{"role": "assistant", "content": "", "tool_calls": [CALL, CALL]}], "tools": TOOLS},
)]
