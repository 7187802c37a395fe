# Lets the built program write its manual page and the completions of the shells, each where a
# package has it below share/.
foreach(pair
    man:man/man1/talaria.1
    bash:bash-completion/completions/talaria
    zsh:zsh/site-functions/_talaria
    fish:fish/vendor_completions.d/talaria.fish)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 kind)
  list(GET pair 1 file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${SHARE}/${folder})
  execute_process(COMMAND ${PROGRAM} completion ${kind} OUTPUT_FILE ${SHARE}/${file}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
