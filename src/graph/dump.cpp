#include "graph/dump.h"

#include <fmt/format.h>

namespace driftwood::graph {

namespace {

std::string reference(const Value& value) {
  if (value.part_of != no_value) {
    return fmt::format("%{}[{}:{}]", value.part_of, value.first_channel, value.first_channel + value.shape.c);
  }
  switch (value.role) {
    case Role::Weights:
      return fmt::format("@{} [{} x {} {}]", value.name, value.shape.w, value.shape.c, to_string(value.data_type));
    case Role::Constant: return fmt::format("@{}", value.name);
    case Role::Input: return fmt::format("<{}>", value.name);
    case Role::State:
      return value.written_from == no_value ? fmt::format("#{}", value.name) : fmt::format("%{}", value.id);
    case Role::Activation:
    case Role::Output: return fmt::format("%{}", value.id);
  }
  return {};
}

std::string list(const Graph& graph, const std::vector<ValueId>& ids) {
  std::string text;
  for (const ValueId id : ids) text += (text.empty() ? "" : ", ") + reference(graph.value(id));
  return text;
}

std::string escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string text;
  for (const Value& value : graph.values()) {
    if (value.role == Role::Input || (value.role == Role::State && value.written_from == no_value)) {
      text += fmt::format("{} {} {} {}\n", to_string(value.role), reference(value), to_string(value.shape),
                          to_string(value.data_type));
    }
  }
  for (const Node& node : graph.nodes()) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const Value& value = graph.value(node.outputs[i]);
      text += fmt::format("{}%{} {}", i == 0 ? "" : ", ", value.id, value.name);
      text += value.role == Role::State ? fmt::format(" in #{}", graph.value(graph.root(value.id)).name)
                                        : fmt::format(" {} {}", to_string(value.shape), to_string(value.data_type));
    }
    text += fmt::format(" = {}({})", name(node.operation), list(graph, node.inputs));
    if (const std::string facts = attributes(node.operation); !facts.empty()) text += fmt::format(" {{{}}}", facts);
    if (!node.epilogue.empty()) {
      text += fmt::format(" | {}", to_string(node.epilogue));
      if (!node.epilogue_inputs.empty()) text += fmt::format(" with {}", list(graph, node.epilogue_inputs));
    }
    if (!node.prologue.empty()) {
      text += fmt::format(" < {}", to_string(node.prologue));
      if (!node.prologue_inputs.empty()) text += fmt::format(" with {}", list(graph, node.prologue_inputs));
    }
    text += '\n';
  }
  for (const Value& value : graph.values()) {
    if (value.role == Role::Output) text += fmt::format("output {} {}\n", reference(value), value.name);
  }
  return text;
}

std::string to_graphviz(const Graph& graph) {
  std::string text =
      "digraph driftwood {\n  node [shape=box, fontname=\"sans-serif\", style=filled, fillcolor=white];\n";
  const std::vector<std::ptrdiff_t> producers = graph.producers();
  const auto vertex = [&](ValueId id) {
    const std::ptrdiff_t node = producers[graph.root(id)];
    return node >= 0 ? fmt::format("n{}", node) : fmt::format("v{}", id);
  };
  std::vector<bool> drawn(graph.values().size(), false);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& node = graph.nodes()[n];
    std::string label = fmt::format("{}\\n{}", escape(node.name), name(node.operation));
    if (const std::string facts = attributes(node.operation); !facts.empty()) label += "\\n" + escape(facts);
    if (!node.epilogue.empty()) label += "\\n| " + escape(to_string(node.epilogue));
    if (!node.prologue.empty()) label += "\\n< " + escape(to_string(node.prologue));
    text += fmt::format("  n{} [label=\"{}\"];\n", n, label);
    for (const ValueId id : Graph::all_inputs(node)) {
      const Value& value = graph.value(id);
      if (producers[graph.root(id)] < 0 && !drawn[id]) {
        drawn[id] = true;
        const bool is_constant = value.role == Role::Weights || value.role == Role::Constant;
        text +=
            fmt::format("  v{} [label=\"{}\\n{}\", shape={}, fillcolor=\"{}\"];\n", id, escape(value.name),
                        to_string(value.shape), is_constant ? "note" : "ellipse", is_constant ? "#eeeeee" : "#ddeeff");
      }
      text += fmt::format("  {} -> n{} [label=\"{}\"];\n", vertex(id), n, to_string(value.shape));
    }
  }
  for (const Value& value : graph.values()) {
    if (value.role != Role::Output) continue;
    text += fmt::format("  o{} [label=\"{}\", shape=ellipse, fillcolor=\"#ddffdd\"];\n  {} -> o{} [label=\"{}\"];\n",
                        value.id, escape(value.name), vertex(value.id), value.id, to_string(value.shape));
  }
  return text + "}\n";
}

}  // namespace driftwood::graph
