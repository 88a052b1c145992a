#include "cli/report/page.h"

#include <fmt/core.h>

#include "base/text.h"

namespace fq::cli {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d2327; --soft: #5b646b; --rule: #d9d6cd; --track: #e9e6de;
  --c0: #2f6f9f; --c1: #c2703d; --c2: #4f8a4c; --c3: #8d5a97; --c4: #b3923a; --c5: #3f8f8b; --c6: #a9495c; --c7: #8a9096; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191b; --ink: #e7e4dd; --soft: #9aa3a8; --rule: #33393d;
  --track: #262b2e; --c0: #6ba6d3; --c1: #e09a6a; --c2: #83b97f; --c3: #bf8fc8; --c4: #d8bb6a; --c5: #71c0bb; --c6: #d98192;
  --c7: #9aa1a6; } }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2.2rem 0 .6rem; }
p { margin: .2rem 0; color: var(--soft); }
.figures { display: flex; flex-wrap: wrap; gap: .8rem 2.2rem; margin-top: 1.2rem; }
.figures div { min-width: 6rem; } .figures b { display: block; font-size: 1.45rem; font-variant-numeric: tabular-nums; }
.figures span { color: var(--soft); font-size: .85rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; font-size: .82rem; color: var(--soft); } td { text-align: right; }
th:first-child, td:first-child { text-align: left; white-space: pre; }
th, td { white-space: nowrap; padding: .22rem .6rem .22rem 0; border-bottom: 1px solid var(--rule); }
svg { display: block; width: 100%; min-width: 45rem; height: auto; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .85rem; color: var(--soft); }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 2px; }
.bar { position: relative; min-width: 9rem; height: .95rem; background: var(--track); border-radius: 2px; }
.bar i { position: absolute; inset: 0 auto 0 0; background: var(--c0); border-radius: 2px; }
.bar u { position: absolute; top: -2px; bottom: -2px; width: 2px; background: var(--ink); }
</style>
)";

}  // namespace

std::string page_head(std::string_view title, std::string_view below) {
  std::string out{kHead};
  const std::string name = html(title);
  out.replace(out.find("@TITLE@"), std::string_view{"@TITLE@"}.size(), name);
  return out + fmt::format("<h1>{}</h1>\n<p>{}</p>\n", name, html(below));
}

std::string html(std::string_view text) {
  std::string out;
  for (const char c : printable(std::string{text})) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string short_number(double value) {
  return value >= 100 || value == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string percent(double part) {
  return fmt::format("{:.1f} %", part * 100);
}

std::string figure(const std::string& value, std::string_view words) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>\n", value, words);
}

std::string value_axis(const ChartArea& area, double most, const std::function<std::string(double)>& text) {
  std::string out;
  for (const double part : {0.0, 0.5, 1.0}) {
    const double y = area.y(part, 1);
    out += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"var(--rule)\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        area.left, area.right, y, y, area.left - 6, y + 4, text(most * part));
  }
  return out;
}

}  // namespace fq::cli
