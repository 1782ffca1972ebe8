#include "cli/interrupt.h"

#include <csignal>

namespace driftwood::cli {
namespace {

volatile std::sig_atomic_t was_raised = 0;

void note(int) { was_raised = 1; }

}  // namespace

Interrupt::Interrupt() {
  clear();
  struct sigaction action = {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_);
}

Interrupt::~Interrupt() { sigaction(SIGINT, &before_, nullptr); }

bool Interrupt::raised() { return was_raised != 0; }

void Interrupt::clear() { was_raised = 0; }

}  // namespace driftwood::cli
