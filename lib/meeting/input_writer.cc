#include "meeting/input_writer.h"

#include <fcntl.h>

#include "base/file.h"
#include "document/event/eventlog.h"

namespace fq::meeting {

InputWriter::InputWriter(const JobFiles& files, notation::JobId id, const notation::Idset& ranks,
                         const notation::Idset& closed, double now)
    : log_(open_file(files.input(id), O_WRONLY | O_CREAT | O_APPEND)), encoder_("stdin", ranks) {
  document::OutputHeader header;
  header.streams["stdin"] = {document::OutputEncoding::utf8, 1};
  append({document::output_header_event(now, header)});
  if (!closed.empty()) append(document::OutputEncoder("stdin", closed).close(now));
}

void InputWriter::write(std::string_view bytes, double now) {
  append(encoder_.write(now, bytes));
}
void InputWriter::close(double now) {
  append(encoder_.close(now));
}

void InputWriter::append(const std::vector<document::Event>& events) {
  std::string text;
  for (const document::Event& event : events) document::append_event(text, event);
  write_all(log_.get(), text, "input");
}

}  // namespace fq::meeting
