# Writes the assembler file that makes the runner programs part of the controller. One that this
# build does not carry has no bytes.
foreach(architecture X86_64 AARCH64)
  if(${architecture})
    file(SHA256 ${${architecture}} ${architecture}_DIGEST)
  else()
    set(${architecture} /dev/null)
  endif()
endforeach()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
# configure_file leaves an unchanged file alone; the build tool needs to see that it was made.
file(TOUCH ${OUTPUT})
