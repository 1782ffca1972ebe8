// Measured choices of a device as a file: JSON, an entry a line, for the cache of this computer and for the tables that
// are a part of the binary.
//
// {"format": 1, "device": "NVIDIA H200", "api": "OpenCL 3.0 CUDA", "driver": "580.95.05", "entries": [
// {"node": "linear ...", "tokens": 1, "places": 0, "kernel": "linear-halves", "values": {"splits": 16, "turns": 2},
//  "us": 5.6, "rule_us": 6.2, "modules": ["package::linear_rows"], "code": "0123456789abcdef"}
// ]}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graph/choices.h"
#include "graph/lowering.h"

namespace driftwood::tuning {

struct TableEntry {
  graph::NodeKey key = {};
  graph::NodeChoice choice = {};                   // without a kernel: nothing was better than the rules
  double microseconds = 0, rule_microseconds = 0;  // of a node, with its helper kernels
  std::vector<std::string> modules = {};           // of the kernels that run, sorted
  std::string code = {};                           // fingerprint() of them when it was measured
};

struct Table {
  std::string device = {}, api = {}, driver = {};  // as DeviceFacts has them
  std::vector<TableEntry> entries = {};

  /// Takes the place of an entry of the same key.
  void set(TableEntry entry);
};

std::string to_text(const Table& table);

/// Throws InvalidInput, naming `what` ("The table 'x.json'"), where the text is no such table, or is over a limit.
Table parse_table(std::string_view text, std::string_view what);

/// A hash of the source of kernels and of all that they import, 16 hexadecimal digits. Modules that there are not count
/// as empty.
std::string fingerprint(const std::vector<std::string>& modules);

/// The modules of kernels, sorted, each once.
std::vector<std::string> modules_of(const std::vector<graph::LoweredStep>& steps);

/// Puts the entries into `choices`; those whose kernels have changed since are left out where `only_current`. Gives the
/// number put in.
std::size_t add_choices(const Table& table, bool only_current, graph::Choices& choices);

}  // namespace driftwood::tuning
