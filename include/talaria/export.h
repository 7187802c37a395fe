// What the library shows: everything else in it is hidden, so that nothing of ours, and nothing
// that we are built with, meets its like in your program.
#pragma once

#define TALARIA_API __attribute__((visibility("default")))
