# Comments of the public headers as Doxygen reads them: a block before a declaration documents it, what stands behind one documents that, and a file's
# first block is about the file. Nothing in them is a command: < > @ \ # are themselves. The inline namespace of the version is left out: nobody names it.
function literal(text) {
  gsub(/[\\@<>#&%]/, "\\\\&", text)
  return text
}
/^inline namespace v0|^}  \/\/ namespace v0$/ { next }
{ line = $0 }
line ~ /^ *\/\// {
  column = index(line, "//")
  text = substr(line, column + 2)
  indent = substr(line, 1, column - 1)
  if (column == behind) {
    print indent "///<" literal(text)  # a comment behind a declaration that goes on
  } else if (!code && !headed) {
    print "/// \\file"
    print "///" literal(text)
    headed = 1
  } else if (text ~ /^ *-+ .* -+ *$/) {
    print ""  # a heading between declarations
  } else {
    print indent "///" literal(text)
    behind = 0
  }
  next
}
{
  code = code || line !~ /^ *$/
  behind = 0
  at = match(line, /[^ ] +\/\/ /)
  if (at > 0 && line !~ /^ *#/) {
    behind = at + RLENGTH - 3
    print substr(line, 1, behind - 1) "///<" literal(substr(line, behind + 2))
    next
  }
  print line
}
