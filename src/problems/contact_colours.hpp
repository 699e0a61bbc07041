// Colours of contacts on the host: greedy in their order, the smallest that is free.
#pragma once

#include <cairn/contact_problem.hpp>

namespace cairn::v0 {

struct ContactColours {
  std::vector<int> order;   // contacts by colour, ascending within one
  std::vector<int> starts;  // [colours + 1] in `order`
};

// Contacts that share a block of W get different colours.
ContactColours coloursByBlocks(const BlockMatrix& W);
// Contacts that share a body get different colours.
ContactColours coloursByBodies(const std::vector<std::vector<int>>& bodiesOfContacts, int bodyCount);

}  // namespace cairn::v0
