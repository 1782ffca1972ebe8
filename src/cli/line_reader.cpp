#include "cli/line_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "base/error.h"
#include "cli/interrupt.h"

#ifdef DRIFTWOOD_LIBEDIT
#include <histedit.h>
#include <langinfo.h>
#endif

namespace driftwood::cli {
namespace {

constexpr char end_of_input = 'D' - '@';  // Ctrl-D
constexpr std::size_t longest_line = std::size_t{16} << 20;

/// The next byte of standard input; -1 at its end, -2 where Ctrl-C came first.
int next_byte() {
  while (true) {
    if (Interrupt::raised()) return -2;
    unsigned char byte = 0;
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count == 1) return byte;
    if (count == 0 || errno != EINTR) return -1;
  }
}

}  // namespace

#ifdef DRIFTWOOD_LIBEDIT

/// libedit's editor of one line, on standard input and standard error.
class LineReader::Editor {
 public:
  /// Null where the terminal cannot move its cursor.
  static std::unique_ptr<Editor> open() {
    const char* terminal = std::getenv("TERM");
    if (terminal == nullptr || std::strcmp(terminal, "dumb") == 0 || ::isatty(STDERR_FILENO) == 0) return nullptr;
    // Letters beyond ASCII are cut into bytes unless the locale is one of UTF-8.
    std::setlocale(LC_CTYPE, "");
    if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
    auto editor = std::unique_ptr<Editor>(new Editor);
    return editor->edit_ == nullptr || editor->history_ == nullptr ? nullptr : std::move(editor);
  }
  ~Editor() {
    if (history_ != nullptr) history_end(history_);
    if (edit_ != nullptr) el_end(edit_);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  Outcome read(const std::string& prompt, std::string& line) {
    prompt_ = prompt;
    int count = 0;
    // el_gets does so only once it has shown the prompt; keys that came in between would be shown twice.
    el_set(edit_, EL_PREP_TERM, 1);
    const char* text = el_gets(edit_, &count);
    if (Interrupt::raised()) {
      el_reset(edit_);
      std::fputs("\n", stderr);
      return Outcome::Interrupted;
    }
    if (text == nullptr || count <= 0) return Outcome::End;
    line.assign(text, static_cast<std::size_t>(count));
    if (line.ends_with('\n')) line.pop_back();
    return Outcome::Line;
  }

  void remember(const std::string& line) {
    HistEvent event;
    history(history_, &event, H_ENTER, line.c_str());
  }

 private:
  Editor() : edit_(el_init("driftwood", stdin, stderr, stderr)), history_(history_init()) {
    if (edit_ == nullptr || history_ == nullptr) return;
    HistEvent event;
    history(history_, &event, H_SETSIZE, 1000);
    history(history_, &event, H_SETUNIQUE, 1);
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT, &prompt_of);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_HIST, history, history_);
    el_set(edit_, EL_SIGNAL, 0);
    el_set(edit_, EL_GETCFN, &read_character);
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  }

  static Editor& self(EditLine* edit) {
    void* data = nullptr;
    el_get(edit, EL_CLIENTDATA, &data);
    return *static_cast<Editor*>(data);
  }
  static char* prompt_of(EditLine* edit) { return self(edit).prompt_.data(); }

  /// One character. libedit's own reader tries again after the first signal, which would swallow a Ctrl-C.
  static int read_character(EditLine*, wchar_t* character) {
    std::mbstate_t state = {};
    for (int bytes = 0; bytes < MB_LEN_MAX; ++bytes) {
      const int byte = next_byte();
      if (byte < 0) return byte == -1 ? 0 : -1;
      // A Ctrl-D that was typed before the editor took over the terminal comes as a zero byte, which libedit would
      // take for the key that quotes the next one, so that no Ctrl-D ever ended the input.
      const char c = byte == 0 ? end_of_input : static_cast<char>(byte);
      const std::size_t length = std::mbrtowc(character, &c, 1, &state);
      if (length != static_cast<std::size_t>(-2)) {
        if (length == static_cast<std::size_t>(-1)) *character = L'\uFFFD';
        return 1;
      }
    }
    *character = L'\uFFFD';
    return 1;
  }

  EditLine* edit_;
  History* history_;
  std::string prompt_;
};

#else

/// There is none without libedit.
class LineReader::Editor {
 public:
  static std::unique_ptr<Editor> open() { return nullptr; }
  Outcome read(const std::string&, std::string&) { return Outcome::End; }
  void remember(const std::string&) {}
};

#endif

LineReader::LineReader() {
  if (::isatty(STDIN_FILENO) != 0) editor_ = Editor::open();
}

LineReader::~LineReader() = default;

LineReader::Outcome LineReader::read_plain(std::string& line) {
  while (true) {
    const int byte = next_byte();
    if (byte == -2) return Outcome::Interrupted;
    if (byte == '\n') return Outcome::Line;
    if (byte < 0) return line.empty() ? Outcome::End : Outcome::Line;
    if (line.size() == longest_line) {
      throw InvalidInput(fmt::format("The line is over the limit of {} bytes.", longest_line));
    }
    line += static_cast<char>(byte);
  }
}

LineReader::Outcome LineReader::read(const std::string& prompt, std::string& line) {
  line.clear();
  if (editor_ != nullptr) return editor_->read(prompt, line);
  std::fputs(prompt.c_str(), stderr);
  const Outcome outcome = read_plain(line);
  if (outcome != Outcome::Line) std::fputs("\n", stderr);
  return outcome;
}

void LineReader::remember(const std::string& line) {
  if (editor_ != nullptr && !line.empty()) editor_->remember(line);
}

}  // namespace driftwood::cli
