// What triangles have to say of a contact, on its way to the reduction.
//
// Where one thread meets all triangles of a pair it goes there at once. On a device each triangle has a thread, which keeps what it found; the pair's
// own takes it to the reduction afterwards, triangle by triangle in the tree's order: the same contacts in the same order, and so the same bits.
#pragma once

#include "kernels/collide/collide_mesh_reduce.hpp"

namespace cairn::v0 {

namespace mesh {

struct Touch {
  Vec normal, place;
  double separation;
  uint32_t feature;
  int allowed;  // 0: a contact that the mesh does not allow

  CAIRN_HD void goTo(Reduction& reduction) const {
    if (allowed != 0) return reduction.add(normal, place, separation, feature);
    reduction.refuse(normal, place, separation, feature);
  }
};

class Touches {
 public:
  CAIRN_HD explicit Touches(Reduction& reduction) : reduction_(&reduction), kept_(nullptr), room_(0) {}
  // Kept there, as far as there is room.
  CAIRN_HD Touches(Touch* kept, int room) : reduction_(nullptr), kept_(kept), room_(room) {}

  // As the reduction's functions of these names.
  CAIRN_HD void add(Vec normal, Vec place, double separation, uint32_t feature) { take({normal, place, separation, feature, 1}); }
  CAIRN_HD void refuse(Vec normal, Vec place, double separation, uint32_t feature) { take({normal, place, separation, feature, 0}); }

  // How many there would be with room for all.
  CAIRN_HD int count() const { return count_; }

 private:
  CAIRN_HD void take(const Touch& touch) {
    if (reduction_ != nullptr) return touch.goTo(*reduction_);
    if (count_ < room_) kept_[count_] = touch;
    ++count_;
  }

  Reduction* reduction_;
  Touch* kept_;
  int room_, count_ = 0;
};

}  // namespace mesh

}  // namespace cairn::v0
