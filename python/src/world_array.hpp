// An array that is a World's own memory.
#pragma once

#include "python/src/convert.hpp"
#include "python/src/shared_world.hpp"

#include <cairn/field.hpp>

#include <type_traits>

namespace cairn::python {

// It keeps the World alive, and its memory where it is.
class WorldArray {
 public:
  struct Layout {
    std::vector<size_t> shape;
    std::vector<int64_t> strides;  // in numbers
    bool writable;
  };
  // What its numbers are.
  struct Element {
    char kind;  // 'f', 'i', 'u'
    int bytes;

    template <class T> static constexpr Element of() {
      return {std::is_floating_point<T>::value ? 'f' : std::is_signed<T>::value ? 'i' : 'u', static_cast<int>(sizeof(T))};
    }
    std::string name() const { return (kind == 'f' ? "float" : kind == 'i' ? "int" : "uint") + std::to_string(8 * bytes); }
  };

  template <class T> WorldArray(nb::object world, std::shared_ptr<SharedWorld::Lease> lease, T* data, Layout layout)
      : world_(std::move(world)),
        lease_(std::move(lease)),
        shared_(nb::cast<SharedWorld&>(world_)),
        data_(const_cast<std::remove_const_t<T>*>(data)),
        layout_(std::move(layout)),
        element_(Element::of<T>()) {}
  WorldArray(const WorldArray&) = delete;
  WorldArray& operator=(const WorldArray&) = delete;

  const Layout& layout() const { return layout_; }
  Element element() const { return element_; }
  void* data() const { return data_; }
  bool onDevice() const { return shared_.device() >= 0; }
  int device() const { return shared_.device(); }
  // What others do with it comes behind what the World has been asked for.
  void settle() { shared_.settleLent(); }

  nb::object numpy(nb::handle self) const;   // throws TypeError for one on a device
  nb::object dlpack(nb::handle self) const;  // a capsule
  nb::dict cudaInterface();                  // throws AttributeError for one of the host
  nb::tuple shape() const;

 private:
  template <class T> nb::object numpyOf(nb::handle self) const;

  nb::object world_;
  std::shared_ptr<SharedWorld::Lease> lease_;  // of that World: goes before it
  SharedWorld& shared_;
  void* data_;
  Layout layout_;
  Element element_;
};

void bindWorldArray(nb::module_& module);

}  // namespace cairn::python
