#include "src/render/sight.hpp"

namespace cairn::v0 {

SurfacePoint Sight::pointOf(const Ray& ray, const RayHit& hit) const {
  SurfacePoint point;
  if (hit.body.index < 0) return point;
  point.body = stage_.bodyOf(hit);
  point.shape = hit.shape;
  point.distance = static_cast<float>(hit.distance);
  point.offset = convert<float>(hit.distance * ray.direction);
  Vec3d normal = hit.normal;
  const ShapeDef& shape = stage_.shown(point.body).shapes[static_cast<size_t>(hit.shape)];
  if (shape.type == ShapeType::Mesh || shape.type == ShapeType::HeightField) {
    const Posed& body = stage_.states()[static_cast<size_t>(point.body)].pose;
    const Posed pose{transform(body, shape.localPose.p), normalized(body.q * shape.localPose.q)};
    const Vec3d local = inverseTransform(pose, ray.origin + hit.distance * ray.direction);
    normal = rotate(pose.q, normals_.at(stage_.surfaceOf(shape), local, inverseRotate(pose.q, ray.direction), inverseRotate(pose.q, normal)));
  }
  point.normal = convert<float>(dot(normal, ray.direction) > 0 ? -normal : normal);
  return point;
}

}  // namespace cairn::v0
