#include "cli/list/job_rows.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cli/list/job_fields.h"
#include "cli/list/job_json.h"
#include "cli/list/listing.h"
#include "cli/list/ordered_pieces.h"

namespace fq::cli {
namespace {

// Passes on the text that `append_row` makes of each row, as they come or in order.
void write_in_order(std::vector<SortKey> keys, const ForEachRow& for_each,
                    const std::function<void(std::string&, const JobRow&)>& append_row,
                    const std::function<void(std::string_view)>& write) {
  std::string text, scratch;
  if (keys.empty()) {
    return for_each([&](const JobRow& row) {
      text.clear();
      append_row(text, row);
      write(text);
    });
  }
  OrderedPieces ordered(keys);
  for_each([&](const JobRow& row) {
    text.clear();
    append_row(text, row);
    ordered.add(sort_values(row, std::span<const SortKey>(keys), job_fields(), scratch), text);
  });
  ordered.visit(write);
}

}  // namespace

std::size_t write_json_rows(std::vector<SortKey> keys, const ForEachRow& for_each, Spool& out) {
  std::size_t count = 0;
  write_in_order(std::move(keys), for_each, append_job_json, [&](std::string_view text) {
    if (count > 0) out.text() += ',';
    out.text() += text;
    out.relieve();
    ++count;
  });
  return count;
}

std::size_t write_text_rows(Format<JobRow> format, std::vector<SortKey> keys, bool headed,
                            const ForEachRow& for_each, Spool& out) {
  if (format.depends_on_rows()) for_each([&](const JobRow& row) { format.measure(row); });
  format.settle(headed);
  if (headed) format.append_header(out.text());
  std::size_t count = 0;
  write_in_order(
      std::move(keys), for_each, [&](std::string& text, const JobRow& row) { format.append_row(text, row); },
      [&](std::string_view text) {
        out.text() += text;
        out.relieve();
        ++count;
      });
  return count;
}

std::size_t write_rows(const ListingOptions& options, Format<JobRow> format, const ForEachRow& for_each,
                       Spool& out) {
  std::vector<SortKey> keys = sort_keys(options, format, job_fields());
  if (!options.json)
    return write_text_rows(std::move(format), std::move(keys), !options.no_header, for_each, out);
  out.text() += "{\"jobs\":[";
  const std::size_t count = write_json_rows(std::move(keys), for_each, out);
  out.text() += "]}\n";
  return count;
}

}  // namespace fq::cli
