// The version of this program, for those below the public interface.
#pragma once

#include <talaria/version.h>  // IWYU pragma: export
