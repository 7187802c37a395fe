# Writes the assembler file that makes the runner programs part of the controller.
file(SHA256 ${X86_64} X86_64_DIGEST)
file(SHA256 ${AARCH64} AARCH64_DIGEST)
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
# configure_file leaves an unchanged file alone; the build tool needs to see that it was made.
file(TOUCH ${OUTPUT})
