# cmake -DFOLDER=src/view/page -DOUTPUT=page_source.cpp -P EmbedPage.cmake: the page as one text, and that as a C++ array.
#
# page.html says what goes where: a line <!-- style: FILE -->, <!-- shader: FILE --> or <!-- script: FILE --> is replaced by the file. Whatever else is in
# comments with a colon is left for the program.

file(READ ${FOLDER}/page.html page)
string(REGEX MATCHALL "<!-- (style|shader|script): [a-z_.]+ -->" places "${page}")
foreach(place IN LISTS places)
  string(REGEX MATCH "<!-- ([a-z]+): ([a-z_.]+) -->" matched "${place}")
  set(kind ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  file(READ ${FOLDER}/${name} text)
  if(kind STREQUAL "style")
    set(text "<style>\n${text}</style>")
  elseif(kind STREQUAL "shader")
    set(text "<script type=\"x-shader\" id=\"${name}\">${text}</script>")
  else()
    set(text "<script>\n${text}</script>")
  endif()
  string(REPLACE "${place}" "${text}" page "${page}")
endforeach()
file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made by cmake/EmbedPage.cmake.
#include \"src/view/view_page.hpp\"

namespace cairn::v0 {

const std::string& pageSource() {
  static const unsigned char kBytes[] = {
${bytes}};
  static const std::string page(reinterpret_cast<const char*>(kBytes), sizeof kBytes);
  return page;
}

}  // namespace cairn::v0
")
