"""A walker of MuJoCo's format: what is taken over, what is not, and its motors driven from NumPy."""

import pathlib
import tempfile

import numpy as np

import cairn

WALKER = """<mujoco model="walker"><option timestep="0.005"/>
  <default><geom friction="0.9"/><joint damping="1" armature="0.01"/></default>
  <worldbody><light name="sun" pos="0 0 5"/><geom name="ground" type="plane" size="20 20 1"/>
    <body name="torso" pos="0 0 0.65"><freejoint name="root"/><geom type="box" size="0.25 0.15 0.08"/>
      <body name="left" pos="0 0.2 0"><joint name="left_hip" axis="0 1 0" range="-60 60"/><geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.05"/>
        <body name="left_shin" pos="0 0 -0.25"><joint name="left_knee" axis="0 1 0" range="0 120"/><geom type="capsule" fromto="0 0 0 0.05 0 -0.25" size="0.04"/></body></body>
      <body name="right" pos="0 -0.2 0"><joint name="right_hip" axis="0 1 0" range="-60 60"/><geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.05"/>
        <body name="right_shin" pos="0 0 -0.25"><joint name="right_knee" axis="0 1 0" range="0 120"/><geom type="capsule" fromto="0 0 0 0.05 0 -0.25" size="0.04"/></body></body>
    </body></worldbody>
  <actuator><position joint="left_hip" kp="80" kv="4"/><position joint="right_hip" kp="80" kv="4"/>
    <motor joint="left_knee" gear="20"/><motor joint="right_knee" gear="20"/></actuator></mujoco>"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "walker.xml"
        path.write_text(WALKER)
        try:
            model = cairn.from_mjcf(path)
        except ModuleNotFoundError as error:
            print(f"skipped: {error}")
            return
    print(f"{model.scene}; not taken over as it is:")
    for item in model.report:
        print(f"  {item}")
    with model.world(backend="cpu") as world:
        for step in range(400):
            swing = 0.4 * np.sin(4 * world.settings["dt"] * step)
            model.control(world, np.array([swing, -swing, 0.1, 0.1]))
            world.step()
        qpos = model.qpos(world)
        for name, joint in model.joints.items():
            if joint.type == "hinge":
                print(f"{name:12} {qpos[joint.address]:6.3f} rad")
        assert np.isfinite(qpos).all() and world.report().joint_error_max < 1e-3


if __name__ == "__main__":
    main()
