// Boost.JSON's code, compiled here: the library would otherwise need the very Boost of a program
// that it is part of.
#include <boost/json/src.hpp>
