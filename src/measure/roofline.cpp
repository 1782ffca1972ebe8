#include "measure/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace driftwood::measure {
namespace {

constexpr double width = 1180, height = 760, left = 90, right = 40, top = 64, bottom = 96;
constexpr std::array<const char*, 6> colours = {"#1f6feb", "#d1491b", "#2c8a3d", "#8a3ffc", "#a06a00", "#00808a"};
constexpr double text_height = 13, text_width = 6.6;  // of a letter

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
  }
  return result;
}

/// "1", "10 k": a power of ten.
std::string power_name(int exponent) {
  static constexpr std::array<const char*, 4> units = {"", " k", " M", " G"};
  if (exponent < 0) return fmt::format("{:g}", std::pow(10, exponent));
  const auto unit = std::min<std::size_t>(static_cast<std::size_t>(exponent) / 3, units.size() - 1);
  return fmt::format("{:.0f}{}", std::pow(10, exponent - 3 * static_cast<int>(unit)), units[unit]);
}

/// A logarithmic axis over whole powers of ten.
struct Axis {
  int first = 0, last = 1;
  double from = 0, to = 1;  // on the picture

  static Axis over(double low, double high, double from, double to) {
    Axis axis{.first = static_cast<int>(std::floor(std::log10(low))),
              .last = static_cast<int>(std::ceil(std::log10(high))),
              .from = from,
              .to = to};
    if (axis.last <= axis.first) axis.last = axis.first + 1;
    return axis;
  }
  double at(double value) const { return from + (std::log10(value) - first) / (last - first) * (to - from); }
  double low() const { return std::pow(10, first); }
  double high() const { return std::pow(10, last); }
};

struct Dot {
  std::string name;
  std::size_t stage = 0;
  double intensity = 0, gflops = 0, share = 0;
  std::string remark;  // shown over the dot
};

struct Roof {
  std::string name;
  double gflops;
};

std::vector<Roof> roofs_of(const Ceilings& ceilings) {
  std::vector<Roof> roofs;
  const auto add = [&](const char* name, double gflops) {
    if (gflops > 0) roofs.push_back({fmt::format("{}: {:.4g} G/s", name, gflops), gflops});
  };
  add("f32", ceilings.float_gflops);
  add("f16", ceilings.half_gflops);
  add("int8", ceilings.integer_gflops);
  add("matrix units", ceilings.matrix_gflops);
  return roofs;
}

class Picture {
 public:
  Picture(std::vector<Dot> dots, const Ceilings& ceilings) : dots_(std::move(dots)), roofs_(roofs_of(ceilings)) {
    bandwidth_ = ceilings.bandwidth();
    double low_x = dots_[0].intensity, high_x = low_x, low_y = dots_[0].gflops, high_y = low_y;
    for (const Dot& dot : dots_) {
      low_x = std::min(low_x, dot.intensity);
      high_x = std::max(high_x, dot.intensity);
      low_y = std::min(low_y, dot.gflops);
      high_y = std::max(high_y, dot.gflops);
    }
    for (const Roof& roof : roofs_) {
      high_y = std::max(high_y, roof.gflops * 1.5);
      if (bandwidth_ > 0) high_x = std::max(high_x, roof.gflops / bandwidth_ * 4);
    }
    x_ = Axis::over(low_x, high_x, left, width - right);
    y_ = Axis::over(low_y, high_y, height - bottom, top);
  }

  std::string draw(const std::string& title, std::span<const Stage> stages, const std::string& left_out) {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        width, height);
    put(left, 26, "start", title, "font-size=\"16\" font-weight=\"bold\"");
    legend(stages);
    grid();
    limits();
    dots();
    if (!left_out.empty()) put(left, height - 12, "start", left_out, "fill=\"#666\" font-size=\"11\"");
    return text_ + "</svg>\n";
  }

 private:
  struct Box {
    double x, y, width, height;
    bool meets(const Box& other) const {
      return x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height;
    }
  };

  void put(double x, double y, const char* anchor, const std::string& what, const std::string& style = {}) {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor, style,
                         escaped(what));
  }
  void line(double x1, double y1, double x2, double y2, const char* style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }

  void legend(std::span<const Stage> stages) {
    double x = left;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      text_ +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"44\" r=\"5\" fill=\"{}\"/>\n", x + 5, colours[i % colours.size()]);
      put(x + 15, 48, "start", stages[i].name);
      x += 40 + text_width * static_cast<double>(stages[i].name.size());
    }
  }

  void grid() {
    constexpr const char* style = "stroke=\"#ddd\" stroke-width=\"1\"";
    for (int power = x_.first; power <= x_.last; ++power) {
      const double x = x_.at(std::pow(10, power));
      line(x, top, x, height - bottom, style);
      put(x, height - bottom + 18, "middle", power_name(power));
    }
    for (int power = y_.first; power <= y_.last; ++power) {
      const double y = y_.at(std::pow(10, power));
      line(left, y, width - right, y, style);
      put(left - 8, y + 4, "end", power_name(power));
    }
    put((left + width - right) / 2, height - bottom + 40, "middle", "operations a byte");
    text_ += fmt::format(
        "<text transform=\"translate(24 {:.1f}) rotate(-90)\" text-anchor=\"middle\">billions of operations a "
        "second</text>\n",
        (top + height - bottom) / 2);
  }

  void limits() {
    constexpr const char* style = "stroke=\"#444\" stroke-width=\"1.5\"";
    double most = 0;
    for (const Roof& roof : roofs_) most = std::max(most, roof.gflops);
    if (roofs_.empty()) most = y_.high();
    if (bandwidth_ > 0) {
      const double from = std::max(x_.low(), y_.low() / bandwidth_), to = std::min(x_.high(), most / bandwidth_);
      if (from < to) {
        line(x_.at(from), y_.at(from * bandwidth_), x_.at(to), y_.at(to * bandwidth_), style);
        const double slope = (y_.at(to * bandwidth_) - y_.at(from * bandwidth_)) / (x_.at(to) - x_.at(from));
        text_ += fmt::format(
            "<text transform=\"translate({:.1f} {:.1f}) rotate({:.2f})\" fill=\"#444\">memory: {:.4g} GB/s</text>\n",
            x_.at(from) + 12, y_.at(from * bandwidth_) + 12 * slope - 6, std::atan(slope) * 180 / 3.14159265358979,
            bandwidth_);
      }
    }
    for (const Roof& roof : roofs_) {
      const double from = bandwidth_ > 0 ? std::clamp(roof.gflops / bandwidth_, x_.low(), x_.high()) : x_.low();
      line(x_.at(from), y_.at(roof.gflops), width - right, y_.at(roof.gflops), style);
      put(width - right, y_.at(roof.gflops) - 5, "end", roof.name, "fill=\"#444\"");
      taken_.push_back({width - right - text_width * static_cast<double>(roof.name.size()), y_.at(roof.gflops) - 16,
                        text_width * static_cast<double>(roof.name.size()), text_height});
    }
  }

  void dots() {
    // Large ones first, which others then lie on.
    std::ranges::stable_sort(dots_, [](const Dot& a, const Dot& b) { return a.share > b.share; });
    const auto radius = [](const Dot& dot) { return std::max(3.0, 26 * std::sqrt(dot.share)); };
    for (const Dot& dot : dots_) {
      text_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.45\" stroke=\"{}\">"
          "<title>{}</title></circle>\n",
          x_.at(dot.intensity), y_.at(dot.gflops), radius(dot), colours[dot.stage % colours.size()],
          colours[dot.stage % colours.size()], escaped(dot.remark));
    }
    for (const Dot& dot : dots_) label(dot, radius(dot));
  }

  // Beside its dot, or where there is room above or below, with a line to it.
  void label(const Dot& dot, double radius) {
    const double x = x_.at(dot.intensity), y = y_.at(dot.gflops);
    const double length = text_width * static_cast<double>(dot.name.size());
    const bool is_left = x + radius + 6 + length > width - right;
    Box box{is_left ? x - radius - 6 - length : x + radius + 6, y - text_height / 2, length, text_height};
    const double wanted = box.y;
    for (int turn = 1; turn < 60 && std::ranges::any_of(taken_, [&](const Box& b) { return b.meets(box); }); ++turn) {
      box.y = wanted + (turn % 2 == 1 ? -1 : 1) * ((turn + 1) / 2) * text_height;
      if (box.y < top - text_height || box.y > height - bottom) box.y = -100;  // outside: the next turn is tried
    }
    if (box.y < 0) box.y = wanted;
    taken_.push_back(box);
    if (std::abs(box.y - wanted) > 1) {
      line(is_left ? x - radius : x + radius, y, is_left ? box.x + length : box.x, box.y + text_height / 2,
           "stroke=\"#999\" stroke-width=\"0.7\"");
    }
    put(box.x, box.y + text_height - 3, "start", dot.name,
        fmt::format("fill=\"{}\"", colours[dot.stage % colours.size()]));
  }

  std::vector<Dot> dots_;
  std::vector<Roof> roofs_;
  double bandwidth_ = 0;
  Axis x_, y_;
  std::vector<Box> taken_ = {};
  std::string text_ = {};
};

}  // namespace

std::string roofline_svg(std::span<const Stage> stages, const Ceilings& ceilings, const std::string& title) {
  std::vector<Dot> dots;
  std::string left_out;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    for (const KernelLine& line : by_kernel(stages[i], ceilings)) {
      if (line.flops <= 0 || line.bytes <= 0 || line.nanoseconds <= 0) {
        if (left_out.find(line.kernel) != std::string::npos) continue;
        left_out += fmt::format("{}{}", left_out.empty() ? "Without a place here: " : ", ", line.kernel);
        continue;
      }
      const auto limit = line.share_of_limit();
      dots.push_back(
          {.name = line.kernel,
           .stage = i,
           .intensity = line.flops / line.bytes,
           .gflops = line.gflops(),
           .share = line.share,
           .remark = fmt::format("{}, {}: {:.3f} ms in {} calls, {:.1f} % of the time, {:.1f} GB/s, {:.1f} "
                                 "GFLOP/s, {:.1f} % of the limit",
                                 line.kernel, stages[i].name, line.nanoseconds / 1e6, line.calls, 100 * line.share,
                                 line.gb_per_s(), line.gflops(), 100 * limit.value_or(0))});
    }
  }
  if (dots.empty()) throw InvalidInput("No kernel of the profile has both arithmetic and a time to draw.");
  return Picture(std::move(dots), ceilings).draw(title, stages, left_out);
}

}  // namespace driftwood::measure
