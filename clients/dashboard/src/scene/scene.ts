// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/scene/scene.ts - a robot in 3D: bones, bodies of its inertias, joint axes and limits; poses come from outside.
import {
  AmbientLight, ArrowHelper, AxesHelper, BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, DirectionalLight, DoubleSide, EdgesGeometry, GridHelper, Group,
  HemisphereLight, Line, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, type Object3D, PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster,
  Scene, SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { convex } from './convex.ts';
import { body, principal } from './inertia.ts';
import type { Visual } from './meshes.ts';
import { geometryOf, meshOf } from './shapes.ts';
import type { Joint, Link, Robot, Solid } from '../base/types.ts';

export interface Shown {
  bodies: 'box' | 'ellipsoid' | 'shape' | 'none';
  frames: boolean;
  coms: boolean;
  limits: boolean;
}

/** Position x y z and quaternion w x y z of each link, by name. */
export type Poses = Map<string, { position: number[]; quaternion: number[] }>;

export interface Arrow {
  link: string;
  force: number[]; // in the axes of the link, of the world where `at` is there
  moment?: boolean; // of another colour and scale
  at?: number[]; // in the frame of the link; its origin where it is absent
}

const UP = new Vector3(0, 0, 1);

/** Whether WebGL is computed by the processor: as the driver is named. */
function software(): boolean {
  const probe = document.createElement('canvas').getContext('webgl2');
  if (!probe) return false;
  const info = probe.getExtension('WEBGL_debug_renderer_info');
  const name = String(probe.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : probe.RENDERER));
  probe.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class RobotScene {
  #scene = new Scene();
  #camera = new PerspectiveCamera(40, 1, 0.001, 500);
  #renderer: WebGLRenderer;
  #controls: OrbitControls;
  #links = new Map<string, Group>();
  #parts: { object: Object3D; of: keyof Shown; value?: string }[] = [];
  #pointers: { joint: Joint; object: Object3D }[] = [];
  #hits: Mesh[] = [];
  #root = new Group(); // turned so that gravity pulls down
  #world = new Group();
  #arrows = new Group();
  #solids: Object3D[] = [];
  #grid: GridHelper | null = null;
  #size = 1;
  #ends: Vector3[] = []; // centres of masses when it was made
  #framed = false;
  #waiting = 0;
  #slow: boolean; // no graphics processor: smooth edges by twice the pixels, at rest alone
  #scale = 1; // of the pixels, while it moves
  #last = 0; // when it was drawn last, ms
  #pace = 16; // ms between frames, of late
  #rest: ReturnType<typeof setTimeout> | undefined;
  #selected = '';
  #dark = false;
  frames = 0; // drawn since the start
  onselect: (link: string) => void = () => {};

  constructor(private canvas: HTMLCanvasElement) {
    this.#slow = software();
    this.#renderer = new WebGLRenderer({ canvas, antialias: !this.#slow, alpha: true, powerPreference: 'high-performance' });
    this.#camera.up.copy(UP);
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.addEventListener('change', () => this.draw());
    const light = new DirectionalLight(0xffffff, 2.2);
    light.position.set(2, -3, 5);
    const rim = new DirectionalLight(0xbfd4ff, 0.8);
    rim.position.set(-4, 3, 1);
    const sky = new HemisphereLight(0xffffff, 0x8a94a6, 1.1);
    sky.position.copy(UP);
    this.#scene.add(light, rim, sky, new AmbientLight(0xffffff, 0.25), this.#root.add(this.#world, this.#arrows));
    canvas.addEventListener('click', (event) => this.#pick(event));
    canvas.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Corners of what is round: fewer where the processor computes each. */
  #round(n: number): number {
    return this.#slow ? Math.max(6, Math.round(n * 0.4)) : n;
  }

  setTheme(dark: boolean): void {
    this.#dark = dark;
    this.#floor();
    this.draw();
  }

  setRobot(robot: Robot, poses: Poses, shown: Shown): void {
    this.#world.clear();
    this.#links.clear();
    this.#parts = [];
    this.#pointers = [];
    this.#hits = [];
    this.#size = extent(robot, poses);
    this.#ends = robot.links.flatMap((link) => { const pose = poses.get(link.name); return pose ? [placed(link, pose)] : []; });
    const fall = new Vector3(...robot.gravity);
    this.#root.quaternion.identity();
    if (fall.lengthSq() > 0) this.#root.quaternion.setFromUnitVectors(fall.normalize().negate(), UP);
    const r = this.#size * 0.016;
    robot.links.forEach((link, k) => {
      const group = new Group();
      group.name = link.name;
      this.#links.set(link.name, group);
      this.#world.add(group);
      this.#link(group, link, k, r, robot.joints.filter((joint) => joint.parent === link.name));
    });
    for (const joint of robot.joints) this.#joint(joint, r);
    this.setShown(shown);
    this.setPoses(poses);
    this.#floor();
    if (!this.#framed) this.frame();
  }

  #link(group: Group, link: Link, k: number, r: number, children: Joint[]): void {
    const tone = new Color().setHSL(0.59, 0.16 + 0.1 * (k % 2), k % 2 ? 0.6 : 0.72);
    const bone = new MeshLambertMaterial({ color: tone });
    const ends = children.map((joint) => new Vector3(...(joint.origin.position ?? [0, 0, 0])));
    if (!ends.length && link.mass > 0) ends.push(new Vector3(...link.com));
    for (const end of ends) {
      const length = end.length();
      if (length < r * 0.2) continue;
      const mesh = new Mesh(new CylinderGeometry(r * 0.8, r, length, this.#round(20), 1, true), bone);
      mesh.position.copy(end).multiplyScalar(0.5);
      mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), end.clone().normalize());
      this.#add(group, mesh, link.name);
    }
    if (link.mass > 0) this.#mass(group, link, tone, r);
    const axes = new AxesHelper(r * 6);
    group.add(axes);
    this.#parts.push({ object: axes, of: 'frames' });
  }

  #mass(group: Group, link: Link, tone: Color, r: number): void {
    const { axes, moments } = principal(link);
    const paint = new MeshLambertMaterial({ color: tone, transparent: true, opacity: 0.55, depthWrite: false });
    for (const value of ['box', 'ellipsoid'] as const) {
      const size = body(value, moments, link.mass).map((one) => Math.max(one, r * 0.4));
      const mesh = new Mesh(value === 'box' ? new BoxGeometry(...(size.map((one) => 2 * one) as [number, number, number])) : new SphereGeometry(1, this.#round(28), this.#round(18)), paint);
      if (value === 'ellipsoid') mesh.scale.set(size[0]!, size[1]!, size[2]!);
      mesh.position.set(...link.com);
      const [x, y, z] = axes;
      mesh.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(new Vector3(...x!), new Vector3(...y!), new Vector3(...z!)));
      if (value === 'box') mesh.add(new LineSegments(new EdgesGeometry(mesh.geometry), new LineBasicMaterial({ color: 0x5b7693, transparent: true, opacity: 0.6 })));
      this.#add(group, mesh, link.name);
      this.#parts.push({ object: mesh, of: 'bodies', value });
    }
    const com = new Mesh(new SphereGeometry(r * 0.9, this.#round(20), this.#round(14)), new MeshBasicMaterial({ color: 0xd9a400, depthTest: false, transparent: true }));
    com.position.set(...link.com);
    com.renderOrder = 3;
    group.add(com);
    this.#parts.push({ object: com, of: 'coms' });
  }

  #joint(joint: Joint, r: number): void {
    const group = this.#links.get(joint.child);
    if (!group || joint.kind === 'fixed') return;
    const paint = new MeshLambertMaterial({ color: 0x2f6fbd });
    const axis = new Vector3(...(joint.axis ?? [0, 0, 1]));
    const shape = joint.kind === 'spherical' || joint.kind === 'floating' ? new SphereGeometry(r * 1.9, this.#round(24), this.#round(16))
      : joint.kind === 'prismatic' ? new BoxGeometry(r * 2.6, r * 5, r * 2.6) : new CylinderGeometry(r * 1.7, r * 1.7, r * 4.2, this.#round(32));
    const mesh = new Mesh(shape, paint);
    mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), axis);
    this.#add(group, mesh, joint.child);
    const line = new Line(new BufferGeometry().setFromPoints([axis.clone().multiplyScalar(-r * 7), axis.clone().multiplyScalar(r * 7)]),
      new LineBasicMaterial({ color: 0x2f6fbd }));
    group.add(line);
    this.#parts.push({ object: line, of: 'frames' });
    const parent = this.#links.get(joint.parent);
    const { lower, upper } = joint.limits ?? {};
    if (parent && lower !== undefined && upper !== undefined && joint.kind === 'revolute') this.#limits(parent, joint, axis, [lower, upper], r * 7);
  }

  /** A sector from the lower to the upper limit, in the joint's frame at q = 0, and a line at q. */
  #limits(parent: Group, joint: Joint, axis: Vector3, [lower, upper]: [number, number], radius: number): void {
    const frame = new Group();
    const rows = joint.origin.rotation;
    if (rows) frame.quaternion.setFromRotationMatrix(new Matrix4().set(...rows[0]!, 0, ...rows[1]!, 0, ...rows[2]!, 0, 0, 0, 0, 1));
    frame.position.set(...(joint.origin.position ?? [0, 0, 0]));
    const from = Math.abs(axis.z) < 0.9 ? new Vector3(0, 0, 1).cross(axis).normalize() : new Vector3(1, 0, 0).cross(axis).normalize().negate();
    const side = axis.clone().cross(from);
    const turn = Math.min(upper - lower, 2 * Math.PI);
    const steps = Math.max(8, Math.ceil(turn * 12));
    const points = [0, 0, 0];
    for (let k = 0; k <= steps; k++) {
      const angle = lower + (turn * k) / steps;
      points.push(...from.clone().multiplyScalar(Math.cos(angle) * radius).addScaledVector(side, Math.sin(angle) * radius).toArray());
    }
    const sector = new BufferGeometry();
    sector.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    sector.setIndex(Array.from({ length: steps }, (_, k) => [0, k + 1, k + 2]).flat());
    frame.add(new Mesh(sector, new MeshBasicMaterial({ color: 0x1f9e6e, transparent: true, opacity: 0.22, side: DoubleSide, depthWrite: false })));
    const needle = new Line(new BufferGeometry().setFromPoints([new Vector3(), from.clone().multiplyScalar(radius * 1.12)]), new LineBasicMaterial({ color: 0xd0532b }));
    frame.add(needle);
    parent.add(frame);
    this.#parts.push({ object: frame, of: 'limits' });
    this.#pointers.push({ joint, object: needle });
  }

  /** What the file of the robot draws: shapes, and meshes of those files that are there. */
  setVisuals(visuals: Visual[], files: Map<string, ArrayBuffer>, shown: Shown): void {
    const paint = new MeshLambertMaterial({ color: this.#dark ? 0xb9c4d0 : 0xcfd6de, side: DoubleSide });
    for (const part of this.#parts.filter((one) => one.value === 'shape')) part.object.removeFromParent();
    this.#parts = this.#parts.filter((one) => one.value !== 'shape');
    this.#hits = this.#hits.filter((mesh) => !mesh.userData['shape']);
    for (const { link, position, rpy, shape } of visuals) {
      const group = this.#links.get(link);
      const file = shape.kind === 'mesh' ? files.get(shape.file) : undefined;
      if (!group || (shape.kind === 'mesh' && !file)) continue;
      let geometry: BufferGeometry;
      try {
        geometry = shape.kind === 'mesh' ? meshOf(shape.file, file!) : shape.kind === 'box' ? new BoxGeometry(...(shape.size as [number, number, number]))
          : shape.kind === 'sphere' ? new SphereGeometry(shape.size[0], this.#round(32), this.#round(20)) : new CylinderGeometry(shape.size[0], shape.size[0], shape.size[1], this.#round(40)).rotateX(Math.PI / 2);
      } catch {
        continue; // not what its name says
      }
      const mesh = new Mesh(geometry, paint.clone());
      // roll, pitch, yaw of a URDF turn about fixed axes: R = Rz Ry Rx
      mesh.rotation.set(rpy[0] ?? 0, rpy[1] ?? 0, rpy[2] ?? 0, 'ZYX');
      mesh.position.set(position[0] ?? 0, position[1] ?? 0, position[2] ?? 0);
      if (shape.kind === 'mesh') mesh.scale.set(shape.scale[0] ?? 1, shape.scale[1] ?? 1, shape.scale[2] ?? 1);
      mesh.userData['shape'] = true;
      this.#add(group, mesh, link);
      this.#parts.push({ object: mesh, of: 'bodies', value: 'shape' });
    }
    this.setShown(shown);
  }

  /** What touches: on its link, or in the world. A half-space is a part of its plane. */
  setSolids(solids: Solid[]): void {
    for (const one of this.#solids) {
      one.removeFromParent();
      one.traverse((part) => { if (part instanceof Mesh || part instanceof LineSegments) part.geometry.dispose(); });
    }
    this.#solids = [];
    for (const { link, shape, size = [], points = [], pose } of solids) {
      const group = link ? this.#links.get(link) : this.#root;
      const [a = 0, b = 0, c = 0] = size.map((one) => Math.max(1e-4, one));
      const wide = this.#size * 3;
      // a capsule lies along z here, along y in the library
      const geometry = shape === 'box' ? new BoxGeometry(a, b, c) : shape === 'sphere' ? new SphereGeometry(a, this.#round(32), this.#round(20))
        : shape === 'capsule' ? new CapsuleGeometry(a, b, this.#round(10), this.#round(24)).rotateX(Math.PI / 2)
          : shape === 'hull' ? geometryOf(convex(points).flat()) : new PlaneGeometry(wide, wide);
      if (!group) continue;
      const mesh = new Mesh(geometry, new MeshLambertMaterial({ color: link ? 0xc7772e : 0x7d8b99, transparent: true, opacity: shape === 'half-space' ? 0.28 : 0.5, depthWrite: false, side: DoubleSide }));
      if (shape === 'hull') this.canvas.dataset['hull'] = String(geometry.getAttribute('position').count / 3); // what tests ask
      if (shape === 'box' || shape === 'hull') mesh.add(new LineSegments(new EdgesGeometry(geometry), new LineBasicMaterial({ color: 0x5f4426 })));
      mesh.position.set(...((pose?.position ?? [0, 0, 0]) as [number, number, number]));
      const [w, x, y, z] = pose?.quaternion_wxyz ?? [];
      if (pose?.quaternion_wxyz) mesh.quaternion.set(x!, y!, z!, w!);
      else if (pose?.rpy) mesh.rotation.set(...(pose.rpy as [number, number, number]), 'ZYX');
      else if (pose?.rotation) mesh.quaternion.setFromRotationMatrix(new Matrix4().set(...(pose.rotation[0] as [number, number, number]), 0, ...(pose.rotation[1] as [number, number, number]), 0, ...(pose.rotation[2] as [number, number, number]), 0, 0, 0, 0, 1));
      group.add(mesh);
      this.#solids.push(mesh);
    }
    this.canvas.dataset['solids'] = String(this.#solids.length);
    this.draw();
  }

  #add(group: Group, mesh: Mesh, link: string): void {
    mesh.userData['link'] = link;
    this.#hits.push(mesh);
    group.add(mesh);
  }

  setShown(shown: Shown): void {
    for (const part of this.#parts) part.object.visible = part.value ? shown[part.of] === part.value : shown[part.of] === true;
    this.draw();
  }

  setPoses(poses: Poses, q?: number[]): void {
    for (const [name, group] of this.#links) {
      const pose = poses.get(name);
      if (!pose) continue;
      group.position.set(pose.position[0]!, pose.position[1]!, pose.position[2]!);
      const [w, x, y, z] = pose.quaternion;
      group.quaternion.set(x!, y!, z!, w!);
    }
    if (q) {
      for (const { joint, object } of this.#pointers) {
        object.quaternion.setFromAxisAngle(new Vector3(...(joint.axis ?? [0, 0, 1])), q[joint.q.index] ?? 0);
      }
    }
    this.draw();
  }

  setArrows(arrows: Arrow[]): void {
    this.#arrows.clear();
    for (const { link, force, at, moment } of arrows) {
      const largest = Math.max(1e-9, ...arrows.map((one) => (one.moment === moment ? Math.hypot(...one.force) : 0)));
      const group = this.#links.get(link);
      const size = Math.hypot(...force);
      if (!group || size < largest * 1e-3) continue;
      const direction = new Vector3(force[0], force[1], force[2]).normalize();
      if (!at) direction.applyQuaternion(group.quaternion);
      const from = at ? new Vector3(at[0], at[1], at[2]).applyQuaternion(group.quaternion).add(group.position) : group.position;
      const length = this.#size * 0.35 * (size / largest);
      const arrow = new ArrowHelper(direction, from, length, moment ? 0x7c3aed : 0xc2410c, Math.min(length * 0.3, this.#size * 0.05), this.#size * 0.02);
      // before what it pushes
      for (const part of [arrow.line, arrow.cone]) {
        part.renderOrder = 4;
        Object.assign(part.material, { depthTest: false, transparent: true });
      }
      this.#arrows.add(arrow);
    }
    this.draw();
  }

  select(link: string): void {
    if (link === this.#selected) return;
    this.#selected = link;
    for (const mesh of this.#hits) {
      const paint = mesh.material as MeshLambertMaterial;
      paint.emissive.set(0x000000);
    }
    for (const mesh of this.#hits) {
      if (mesh.userData['link'] === link) (mesh.material as MeshLambertMaterial).emissive.set(0x7a3d00);
    }
    this.draw();
  }

  #pick(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.#camera);
    const hit = ray.intersectObjects(this.#hits.filter((mesh) => mesh.visible))[0];
    this.onselect(hit ? String(hit.object.userData['link']) : '');
  }

  #key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number]> = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] };
    const turn = turns[event.key];
    const zoom = event.key === '+' || event.key === '=' ? 0.9 : event.key === '-' ? 1.1 : 0;
    if (!turn && !zoom && event.key !== '0') return;
    event.preventDefault();
    if (event.key === '0') return this.frame();
    const offset = this.#camera.position.clone().sub(this.#controls.target);
    if (zoom) offset.multiplyScalar(zoom);
    if (turn) {
      const polar = Math.acos(offset.z / offset.length());
      const next = Math.max(0.05, Math.min(3.09, polar + turn[1]));
      const around = Math.atan2(offset.y, offset.x) + turn[0];
      offset.setFromSphericalCoords(offset.length(), next, 0);
      offset.set(Math.sin(next) * Math.cos(around), Math.sin(next) * Math.sin(around), Math.cos(next)).multiplyScalar(offset.length());
    }
    this.#camera.position.copy(this.#controls.target).add(offset);
    this.#controls.update();
    this.draw();
  }

  #floor(): void {
    if (this.#grid) this.#scene.remove(this.#grid);
    const step = 10 ** Math.round(Math.log10(this.#size / 3));
    const cells = Math.max(6, 2 * Math.ceil((this.#size * 1.4) / step));
    this.#grid = new GridHelper(cells * step, cells, this.#dark ? 0x51606f : 0x9aa7b5, this.#dark ? 0x25303a : 0xdde3ea);
    this.#grid.rotation.x = Math.PI / 2;
    this.#scene.add(this.#grid);
  }

  /** The camera so that the whole robot is seen. */
  frame(): void {
    const centre = new Vector3();
    let n = 0;
    for (const group of this.#links.values()) {
      centre.add(group.position);
      n++;
    }
    if (n) centre.multiplyScalar(1 / n);
    // origins at one place, and masses beside it: these are within the picture too
    const far = Math.max(0, ...this.#ends.map((at) => at.distanceTo(centre)));
    centre.applyQuaternion(this.#root.quaternion);
    this.#controls.target.copy(centre);
    const way = new Vector3(1, -1.25, 0.62).normalize();
    this.#camera.position.copy(centre).addScaledVector(way, Math.max(this.#size, far * 1.4) * 1.95);
    this.#camera.near = this.#size * 0.01;
    this.#camera.far = this.#size * 60;
    this.#framed = n > 0;
    this.resize();
    this.#controls.update();
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.#sharpen(this.#slow ? 1 : Math.min(devicePixelRatio, 2));
    this.#camera.aspect = width / height;
    this.#camera.fov = width < height ? 55 : 40;
    this.#camera.updateProjectionMatrix();
    this.draw();
  }

  #sharpen(ratio: number): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.#renderer.getPixelRatio() === ratio && this.canvas.width === Math.floor(width * ratio) && this.canvas.height === Math.floor(height * ratio)) return;
    this.#renderer.setPixelRatio(ratio);
    this.#renderer.setSize(width, height, false);
  }

  /** While it moves: so many pixels that 30 frames a second are drawn, where the machine can. At rest: all of them. */
  #adapt(now: number): void {
    if (this.canvas.dataset['held']) return; // a video has one size
    const gap = now - this.#last;
    this.#last = now;
    clearTimeout(this.#rest);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const best = this.#slow ? Math.max(1, Math.min(2, Math.sqrt(2.5e6 / (width * height || 1)))) : Math.min(devicePixelRatio, 2);
    this.#rest = setTimeout(() => {
      this.#sharpen(best);
      this.#last = 0;
      this.#render();
    }, 250);
    if (gap > 200) {
      this.#pace = 16;
    } else {
      this.#pace += (gap - this.#pace) * 0.2;
      if (this.#pace > 30 && this.#scale > 0.5) this.#scale = Math.max(0.5, this.#scale * 0.93);
      else if (this.#pace < 20 && this.#scale < 1) this.#scale = Math.min(1, this.#scale * 1.02);
    }
    // in steps: each change of the size allocates anew
    const full = this.#slow ? 1 : best;
    this.#sharpen(full * (this.#scale > 0.9 ? 1 : this.#scale > 0.65 ? 0.75 : 0.5));
  }

  draw(): void {
    if (this.#waiting) return;
    this.#waiting = requestAnimationFrame((now) => {
      this.#waiting = 0;
      this.#adapt(now);
      this.#render();
    });
  }

  #render(): void {
    this.#renderer.render(this.#scene, this.#camera);
    this.frames++;
    this.canvas.dataset['frames'] = String(this.frames);
    this.canvas.dataset['calls'] = String(this.#renderer.info.render.calls);
    this.canvas.dataset['triangles'] = String(this.#renderer.info.render.triangles);
  }

  dispose(): void {
    cancelAnimationFrame(this.#waiting);
    clearTimeout(this.#rest);
    this.#controls.dispose();
    this.#world.traverse((object) => {
      if (object instanceof Mesh) object.geometry.dispose();
    });
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }
}

/** The centre of mass of a link where it is. */
function placed(link: Link, { position, quaternion: [w, x, y, z] }: { position: number[]; quaternion: number[] }): Vector3 {
  return new Vector3(...link.com).applyQuaternion(new Quaternion(x, y, z, w)).add(new Vector3(...(position as [number, number, number])));
}

/** Size of what is drawn, m: of all origins, and of the balls around the bodies of all masses. */
function extent(robot: Robot, poses: Poses): number {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  for (const link of robot.links) {
    const pose = poses.get(link.name);
    if (!pose) continue;
    const origin = new Vector3(...(pose.position as [number, number, number]));
    const com = placed(link, pose);
    low.min(origin);
    high.max(origin);
    if (link.mass > 0) {
      const radius = Math.hypot(...body('box', principal(link).moments, link.mass)) * 0.6;
      low.min(com.clone().subScalar(radius));
      high.max(com.clone().addScalar(radius));
    }
  }
  const size = high.sub(low).length();
  return Number.isFinite(size) && size > 1e-6 ? size : 1;
}
