# Writes the assembler file that makes the runner programs part of the controller.
file(SHA256 ${X86_64} X86_64_DIGEST)
if(AARCH64)
  file(SHA256 ${AARCH64} AARCH64_DIGEST)
else()
  set(AARCH64 /dev/null)  # none: no bytes
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
# configure_file leaves an unchanged file alone; the build tool needs to see that it was made.
file(TOUCH ${OUTPUT})
