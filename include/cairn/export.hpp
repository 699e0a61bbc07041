// CAIRN_API marks the public interface: all that a shared library of Cairn shows.
#pragma once

#define CAIRN_API __attribute__((visibility("default")))
