// All of the public interface.
#pragma once

#include <cairn/contact_solver.hpp>
#include <cairn/error.hpp>
#include <cairn/field.hpp>
#include <cairn/height_field.hpp>
#include <cairn/math.hpp>
#include <cairn/mesh.hpp>
#include <cairn/names.hpp>
#include <cairn/projection_functor.hpp>
#include <cairn/report.hpp>
#include <cairn/scene.hpp>
#include <cairn/setting_values.hpp>
#include <cairn/settings.hpp>
#include <cairn/version.hpp>
#include <cairn/world.hpp>
#include <cairn/world_arrays.hpp>
