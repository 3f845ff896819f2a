// SPDX-License-Identifier: Apache-2.0
// clients/javascript/torqued.js - torqued for browsers and Node >= 18: one module, no dependencies; types in torqued.d.ts.

// operations: method path long?, made by types.py from the contract: do not edit
const OF_ROBOTS = "inverseDynamics inverse-dynamics,forwardDynamics forward-dynamics,terms terms,kinematics kinematics,statics statics,regressor regressor,inverseKinematics inverse-kinematics,manipulability manipulability,trajectory trajectory,simulate simulate long,excitation excitation long,ensemble ensemble long,calibrate calibrate long,payload payload long,residual residual long,calibrateKinematics calibrate-kinematics long,distance distance,assemble assemble,staticPoses static-poses long,configuration configuration";
const OF_SERVICE = "inertia inertia,rigidBody rigid-body,drive drive,compare compare";
// end of what types.py makes

const CBOR = "application/cbor", NPY = "application/x-npy";
const JSON_TYPE = "application/json";

/* -- arrays and codecs -- */
/** Numbers of rank two or more in one Float64Array, rows outside. */
export class NDArray {
  constructor(data, shape) {
    this.data = data instanceof Float64Array ? data : Float64Array.from(data);
    this.shape = Array.from(shape);
    if (this.shape.reduce((a, b) => a * b, 1) !== this.data.length) {
      throw new RangeError(`${this.data.length} numbers are not of shape ${this.shape.join(" x ")}`);
    }
  }
  /** Of nested arrays, or of arrays of Float64Array. */
  static from(nested) {
    const shape = [];
    for (let at = nested; typeof at === "object"; at = at[0]) shape.push(at.length);
    const flat = shape.length > 1 ? nested.flatMap((row) => Array.from(NDArray.from(row).data)) : nested;
    return new NDArray(Float64Array.from(flat), shape);
  }
  get length() { return this.shape[0]; }
  /** The i-th row, a view: Float64Array, or NDArray of one rank less. */
  row(i) {
    const size = this.data.length / (this.length || 1);
    const part = this.data.subarray(i * size, (i + 1) * size);
    return this.shape.length > 2 ? new NDArray(part, this.shape.slice(1)) : part;
  }
  *[Symbol.iterator]() { for (let i = 0; i < this.length; i++) yield this.row(i); }
  toJSON() { return Array.from(this, (row) => row.toJSON?.() ?? Array.from(row)); }
}

const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/* The platforms of JavaScript are little-endian, as typed array 86 and '<f8' are: numbers are copied, never printed. */
class Writer {
  bytes = new Uint8Array(1024);
  view = new DataView(this.bytes.buffer);
  at = 0;
  room(n) {
    if (this.at + n > this.bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.at + n));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return (this.at += n) - n;
  }
  put(bytes) {
    const at = this.room(bytes.length); // may replace this.bytes
    this.bytes.set(bytes, at);
  }
  head(major, n) {
    const log = n < 0x100 ? 0 : n < 0x10000 ? 1 : n < 0x100000000 ? 2 : 3;
    this.put([(major << 5) | (n < 24 ? n : 24 + log)]);
    if (n < 24) return;
    const at = this.room(1 << log);
    if (log === 3) this.view.setBigUint64(at, BigInt(n));
    else this.view[`setUint${8 << log}`](at, n);
  }
  numbers(data) {
    this.head(6, 86);
    this.head(2, data.byteLength);
    this.put(bytesOf(data));
  }
  value(value) {
    if (typeof value === "number") {
      if (Number.isSafeInteger(value) && !Object.is(value, -0)) return this.head(value < 0 ? 1 : 0, value < 0 ? -1 - value : value);
      const at = this.room(9);
      this.view.setUint8(at, 0xfb);
      return this.view.setFloat64(at + 1, value);
    }
    if (typeof value === "string") {
      const text = new TextEncoder().encode(value);
      this.head(3, text.length);
      return this.put(text);
    }
    if (value === null || typeof value === "boolean") return this.head(7, value === null ? 22 : value ? 21 : 20);
    if (value instanceof Float64Array) return this.numbers(value);
    if (ArrayBuffer.isView(value)) return this.numbers(Float64Array.from(value));
    if (value instanceof NDArray) {
      this.put([0xd8, 40, 0x82]);
      this.value(value.shape);
      return this.numbers(value.data);
    }
    if (Array.isArray(value)) {
      this.head(4, value.length);
      return value.forEach((one) => this.value(one));
    }
    if (typeof value !== "object") throw new TypeError(`${typeof value} has no place in a request`);
    const entries = Object.entries(value).filter((entry) => entry[1] !== undefined);
    this.head(5, entries.length);
    for (const [key, one] of entries) {
      this.value(key);
      this.value(one);
    }
  }
}

/** A document as CBOR; Float64Array and NDArray as the typed arrays of RFC 8746. */
export function encodeCbor(value) {
  const to = new Writer();
  to.value(value);
  return to.bytes.subarray(0, to.at);
}

class Reader {
  at = 0;
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  take(n) {
    if (this.at + n > this.bytes.length) throw new RangeError("the document ends early");
    return this.bytes.subarray(this.at, (this.at += n));
  }
  uint(size) {
    this.take(size);
    return Number(this.view[`get${size > 4 ? "Big" : ""}Uint${8 * size}`](this.at - size));
  }
  *items(n, indefinite) {
    for (let i = 0; indefinite ? this.bytes[this.at] !== 0xff : i < n; i++) yield this.value();
    if (indefinite) this.take(1);
  }
  value() {
    const first = this.uint(1);
    const major = first >> 5;
    const low = first & 31;
    if (major === 7) {
      if (low < 24) return [false, true, null][low - 20];
      this.take(8);
      return this.view.getFloat64(this.at - 8);
    }
    const indefinite = low === 31;
    const n = low < 24 || indefinite ? low : this.uint(1 << (low - 24));
    switch (major) {
      case 0: return n;
      case 1: return -1 - n;
      case 2: return this.take(n);
      case 3: return new TextDecoder().decode(this.take(n));
      case 4: return [...this.items(n, indefinite)];
      case 5: {
        const flat = [...this.items(2 * n, indefinite)];
        return Object.fromEntries(flat.flatMap((one, i) => (i % 2 ? [] : [[one, flat[i + 1]]])));
      }
      default: return this.tagged(n);
    }
  }
  tagged(tag) {
    const value = this.value();
    if (tag === 86) return new Float64Array(Uint8Array.from(value).buffer);
    if (tag === 40) return new NDArray(value[1], value[0]);
    throw new RangeError(`CBOR tag ${tag}`);
  }
}

/** A CBOR document; arrays of numbers as Float64Array and NDArray with the bits that were sent. An empty list is []. */
export function decodeCbor(bytes) {
  const from = new Reader(bytes);
  const empty = (value) => {
    if (value instanceof Float64Array) return value.length ? value : [];
    if (value && typeof value === "object" && !(value instanceof NDArray)) for (const key in value) value[key] = empty(value[key]);
    return value;
  };
  return empty(from.value());
}

/** A Float64Array or NDArray as an NPY file. */
export function encodeNpy(array) {
  const { data = array, shape = [array.length] } = array instanceof NDArray ? array : {};
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
  const head = `\x93NUMPY\x01\x00..${text.padEnd(64 * Math.ceil((text.length + 11) / 64) - 11)}\n`;
  const out = new Uint8Array(head.length + data.byteLength);
  out.set(Array.from(head, (c) => c.charCodeAt(0)));
  new DataView(out.buffer).setUint16(8, head.length - 10, true);
  out.set(bytesOf(data), head.length);
  return out;
}

const NPY_TYPES = { f8: Float64Array, f4: Float32Array, i8: BigInt64Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };

/** An NPY file of numbers: Float64Array of rank one, else NDArray. */
export function decodeNpy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = bytes[6] > 1 ? 12 + view.getUint32(8, true) : 10 + view.getUint16(8, true);
  const head = String.fromCharCode(...bytes.subarray(10, start));
  const [, order, type] = /'descr': '([<>|=])(\w\d)'/.exec(head) ?? [];
  const of = NPY_TYPES[type];
  if (!of || order === ">" || /'fortran_order': True/.test(head)) throw new RangeError(`this NPY is not read here: ${head.trim()}`);
  const shape = (/'shape': \(([^)]*)\)/.exec(head)[1].match(/\d+/g) ?? []).map(Number);
  // a copy, and aligned: `slice` of a Buffer is a view of its pool
  const numbers = new of(Uint8Array.from(bytes.subarray(start)).buffer);
  const data = of === Float64Array ? numbers : Float64Array.from(numbers, Number);
  return shape.length < 2 ? data : new NDArray(data, shape);
}

/* -- errors -- */
/** A refusal: the problem document (RFC 9457), and where the request is at fault `pointer`, `hint` and `value` of the first place. */
export class TorquedError extends Error {
  name = "TorquedError";
  constructor(problem, { request, retryAfter } = {}) {
    const [first] = problem.errors ?? [];
    super([`${problem.status} ${problem.title}`, problem.detail, first?.hint].filter(Boolean).join(": "));
    const { status, type, request_id: requestId, errors = [] } = problem;
    Object.assign(this, { problem, status, type, requestId, errors, pointer: first?.pointer, hint: first?.hint, retryAfter });
    this.value = first && first.pointer.split("/").slice(1).reduce((at, step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return at instanceof NDArray ? at.row(key) : at?.[key];
    }, request);
  }
}

/** No answer, or half of one, and trying again is over or would not be safe. `key`: a later call with it meets the same job. */
export class ConnectionError extends Error {
  name = "ConnectionError";
  constructor(what, attempts, key, cause) {
    super(`connection lost: ${what} (tried ${attempts}x)${cause ? `: ${cause.cause?.message ?? cause.message}` : ""}`, { cause });
    Object.assign(this, { attempts, key });
  }
}

async function refusal(response, request) {
  const retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  const text = await response.text();
  const isProblem = text && /[/+]json/.test(response.headers.get("Content-Type"));
  const problem = isProblem ? JSON.parse(text) : { type: "about:blank", title: response.statusText, status: response.status, detail: text.slice(0, 200) };
  return new TorquedError(problem, { request, retryAfter });
}

/* -- transport -- */
function sleep(ms, signal) {
  return new Promise((go, fail) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => end(go), ms);
    const stop = () => end(() => fail(signal.reason));
    signal?.addEventListener("abort", stop);
    const end = (how) => (clearTimeout(timer), signal?.removeEventListener("abort", stop), how());
  });
}

/* crypto.randomUUID is missing on plain http: and in Node 18 */
function newKey() {
  const words = globalThis.crypto?.getRandomValues(new Uint32Array(4)) ?? Array.from({ length: 4 }, () => Math.random() * 2 ** 32 >>> 0);
  return Array.from(words, (word) => word.toString(16).padStart(8, "0")).join("");
}

const queryOf = (query) => {
  const given = Object.entries(query ?? {}).filter((entry) => entry[1] !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

const part = (name) => encodeURIComponent(name).replaceAll("%40", "@");

/* fetch has no progress of an upload: a browser's XMLHttpRequest has; elsewhere what is handed to the socket is counted */
function withProgress(plain, onProgress) {
  return async (url, init) => {
    const blob = init.body instanceof Blob ? init.body : new Blob([init.body]);
    const total = blob.size;
    if (typeof XMLHttpRequest === "undefined") {
      const pieces = async function* () {
        for (let loaded = 0; loaded < total; onProgress({ loaded, total })) {
          const piece = await blob.slice(loaded, loaded + 65536).arrayBuffer();
          loaded += piece.byteLength;
          yield new Uint8Array(piece);
        }
      };
      return plain(url, { ...init, body: pieces(), duplex: "half" });
    }
    init.signal?.throwIfAborted();
    return new Promise((go, fail) => {
      const xhr = new XMLHttpRequest();
      xhr.open(init.method, url);
      xhr.responseType = "arraybuffer";
      for (const [name, value] of Object.entries(init.headers)) xhr.setRequestHeader(name, value);
      xhr.upload.onprogress = ({ loaded }) => onProgress({ loaded, total });
      xhr.onload = () => {
        const headers = xhr.getAllResponseHeaders().trim().split("\r\n").map((line) => line.split(/: ?(.*)/, 2));
        go(new Response(xhr.response, { status: xhr.status, statusText: xhr.statusText, headers }));
      };
      xhr.onerror = () => fail(new TypeError("network error"));
      xhr.onabort = () => fail(init.signal.reason);
      init.signal?.addEventListener("abort", () => xhr.abort(), { once: true });
      xhr.send(blob);
    });
  };
}

/** Server-Sent Events of a body as {id, event, data}, comments as {}; an event that was cut short is dropped. */
async function* eventsOf(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split(/\r\n\r\n|\n\n|\r\r/);
      text = blocks.pop();
      for (const block of blocks) {
        const { id, event, data } = Object.fromEntries(block.split(/\r\n|\n|\r/).map((line) => line.split(/: ?(.*)/, 2)));
        if (id || data || block[0] === ":") yield { id, event, data: data && JSON.parse(data) };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/* -- client -- */
/** Everything of one torqued. Without an address: the page's own, or http://127.0.0.1:8420. */
export class Client {
  constructor(url = globalThis.location?.origin ?? "http://127.0.0.1:8420", options = {}) {
    this.url = String(url).replace(/\/+$/, "");
    this.options = { retries: 5, retryDelay: 100, fetch: (...args) => globalThis.fetch(...args), ...options };
    this.robots = new Robots(this);
    this.datasets = new Datasets(this);
    this.jobs = new Jobs(this);
    this.sessions = new Sessions(this);
  }
  robot(name) { return new Robot(this, name); }
  job(id) { return new Job(this, { id }); }
  /* One exchange, tried again while that is safe: {response, value}. `again`: a repeat changes nothing (true of all but
   * PATCH, and a POST that makes something without a key). 429 and 503 say themselves that nothing was done. */
  async send(method, path, { body, request, headers, query, signal, accept, key, raw, binary, onProgress, again = method !== "POST" && method !== "PATCH", retries = this.options.retries } = {}) {
    const { token, client, fetch: plain } = this.options;
    const url = this.url + path + queryOf(query);
    const fetch = onProgress ? withProgress(plain, onProgress) : plain;
    const all = { ...this.options.headers, ...(accept && { Accept: accept }), ...(client && { "Torqued-Client": client }), ...(key && { "Idempotency-Key": key }) };
    const secret = typeof token === "function" ? await token() : token;
    if (secret) all.Authorization = `Bearer ${secret}`;
    for (const name in headers) if (headers[name] !== undefined) all[name] = headers[name];
    for (let attempt = 1, lost = false; ; attempt++) {
      const now = typeof body === "function" ? body() : body;
      const isStream = now?.getReader || now?.[Symbol.asyncIterator];
      let fault;
      try {
        const response = await fetch(url, { method, headers: all, body: now, signal, ...(isStream && { duplex: "half" }) });
        if (response.ok || response.status === 304) return { response, value: raw ? undefined : await valueOf(response, binary) };
        fault = await refusal(response, request);
        if (lost && method === "DELETE" && fault.status === 404) return { response }; // the try whose answer was lost did it
        if (!fault.retryAfter || (fault.status !== 429 && fault.status !== 503)) throw fault;
      } catch (cause) {
        signal?.throwIfAborted();
        if (!(cause instanceof TypeError)) throw cause;
        lost = true;
        fault = new ConnectionError(`${method} ${url}`, attempt, key, cause);
        if (!again && !key) throw fault;
      }
      if ((isStream && now === body) || attempt > retries) throw fault;
      await sleep(fault.retryAfter * 1000 || this.options.retryDelay * 2 ** (attempt - 1), signal);
    }
  }
  /** Any call: what its body holds, by its media type. */
  async request(method, path, options) { return (await this.send(method, path, options)).value; }
  /* An operation. Those that take long are jobs with a key from the first byte on: a lost connection finds the same job. */
  async operate(path, long, body, { signal, plain, query, key, prefer, priority, deadline, onProgress, again = true, ...more } = {}) {
    const isJob = long || Boolean(prefer) || Boolean(onProgress);
    const headers = {
      "Content-Type": CBOR,
      Prefer: prefer ?? (onProgress ? "respond-async" : undefined),
      Priority: priority === undefined ? undefined : `u=${priority}`,
      "Torqued-Deadline": deadline,
    };
    const accept = plain ? JSON_TYPE : CBOR;
    const bytes = encodeCbor(body);
    const own = { body: bytes, request: body, headers, query, signal, accept, key: key ?? (isJob ? newKey() : undefined), again };
    const { response, value } = await this.send("POST", path, { ...more, ...own });
    if (response.status !== 202) return value;
    const job = new Job(this, value, body);
    return prefer === "respond-async" ? job : job.result({ signal, plain, onProgress });
  }
  /** Changes of state and progress of all jobs: {id, event, data}. A lost connection is taken up again after the last event. */
  events({ lastEventId, signal } = {}) { return this.follow("/v1/events", lastEventId, signal); }
  async *follow(path, lastEventId, signal) {
    let failures = 0;
    for (;;) {
      let cause;
      const headers = { "Last-Event-ID": lastEventId };
      const { response } = await this.send("GET", path, { headers, signal, accept: "text/event-stream", raw: true });
      if (response.status === 204) return;
      try {
        for await (const event of eventsOf(response.body)) {
          failures = 0;
          lastEventId = event.id ?? lastEventId;
          if (event.data) yield event;
          signal?.throwIfAborted();
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof TypeError)) throw error;
        cause = error;
      }
      if (++failures > this.options.retries) throw new ConnectionError(`GET ${this.url}${path}`, failures, undefined, cause);
      await sleep(this.options.retryDelay * 2 ** (failures - 1), signal);
    }
  }
  version = (options) => this.request("GET", "/v1/version", options);
  index = (options) => this.request("GET", "/", { accept: JSON_TYPE, ...options });
  health = (options) => this.request("GET", "/healthz", options);
  live = (options) => this.request("GET", "/livez", options);
  /** The daemons that have one store. A drained one hands over its jobs, and takes none until it is resumed. */
  nodes = async (options) => (await this.request("GET", "/v1/nodes", options)).nodes;
  drainNode = (name, options) => this.request("POST", `/v1/nodes/${part(name)}/drain`, { again: true, ...options });
  resumeNode = (name, options) => this.request("POST", `/v1/nodes/${part(name)}/resume`, { again: true, ...options });
  /** Answers at once, 503 or not. */
  ready = (options) => this.request("GET", "/readyz", { retries: 0, ...options });
  metrics = (options) => this.request("GET", "/metrics", options);
  contract = (options) => this.request("GET", "/openapi.json", options);
  docs = (options) => this.request("GET", "/docs", options);
  problems = (options) => this.request("GET", "/problems", { accept: JSON_TYPE, ...options });
  problem = (slug, options) => this.request("GET", `/problems/${part(slug)}`, { accept: JSON_TYPE, ...options });
  /** The whole store as a tar archive: a Response, to be read as a stream. */
  backup = async (options) => (await this.send("POST", "/v1/backup", { again: true, raw: true, ...options })).response;
  /** A cookie in exchange for the token, for links and downloads of a page. */
  beginSession = (options) => this.request("POST", "/v1/session", { again: true, ...options });
  endSession = (options) => this.request("DELETE", "/v1/session", options);
  /** What an EventSource needs in its query where tokens are set: {ticket, expires_in_s}. Streams of this client do not. */
  ticket = (options) => this.request("POST", "/v1/tickets", { again: true, ...options });
}

async function valueOf(response, binary) {
  const bytes = new Uint8Array(await response.arrayBuffer());
  // a browser takes the end of a connection within the head for the end of the answer
  const mayBeEmpty = [204, 205, 304].includes(response.status) || response.headers.get("Content-Length") === "0";
  if (!bytes.length && !mayBeEmpty) throw new TypeError("the answer ended within its head");
  if (!bytes.length) return binary ? bytes : undefined;
  const type = response.status === 206 || binary ? "" : (response.headers.get("Content-Type") ?? "").split(";")[0];
  if (type === CBOR) return decodeCbor(bytes);
  if (type === NPY) return decodeNpy(bytes);
  if (type === JSON_TYPE) return JSON.parse(new TextDecoder().decode(bytes));
  return /^text\/|xml/.test(type) ? new TextDecoder().decode(bytes) : bytes;
}

const conditions = ({ ifMatch, ifNoneMatch }) => ({ "If-Match": ifMatch && `"${ifMatch}"`, "If-None-Match": ifNoneMatch });

class Robots {
  constructor(client) { this.client = client; }
  list = async (options) => (await this.client.request("GET", "/v1/robots", options)).robots;
  /** Create or replace from URDF or MJCF (text) or a robot document (object): the report, and what was ignored. */
  put = (name, robot, { format, ifMatch, ifNoneMatch, ...options } = {}) => {
    const isDocument = typeof robot === "object" && !ArrayBuffer.isView(robot) && !(robot instanceof Blob);
    const headers = { "Content-Type": isDocument ? JSON_TYPE : "application/octet-stream", ...conditions({ ifMatch, ifNoneMatch }) };
    const body = isDocument ? JSON.stringify(robot) : robot;
    return this.client.request("PUT", `/v1/robots/${part(name)}`, { ...options, headers, body, request: robot, query: { format } });
  };
  get = (name, options) => this.client.request("GET", `/v1/robots/${part(name)}`, { accept: JSON_TYPE, ...options });
  urdf = (name, options) => this.get(name, { accept: "application/xml", ...options });
  /** As "urdf", "mjcf" or "sdf": text. */
  export = (name, format, options) => this.get(name, { accept: "*/*", query: { format }, ...options });
  /** Another version, by operations on one; a lost connection is an error, as a repeat would change what was changed already. */
  change = (name, operations, { as, dryRun, ifMatch, ...options } = {}) => {
    const request = { operations };
    const headers = { "Content-Type": JSON_TYPE, ...conditions({ ifMatch }) };
    return this.client.request("PATCH", `/v1/robots/${part(name)}`, { ...options, headers, body: JSON.stringify(request), request, query: { name: as, dry_run: dryRun } });
  };
  delete = (name, { ifMatch, ...options } = {}) => this.client.request("DELETE", `/v1/robots/${part(name)}`, { ...options, headers: conditions({ ifMatch }) });
}

/** One robot: its operations are methods, made from the contract. */
export class Robot {
  constructor(client, name) { Object.assign(this, { client, name }); }
  document = (options) => this.client.robots.get(this.name, options);
  urdf = (options) => this.client.robots.urdf(this.name, options);
  export = (format, options) => this.client.robots.export(this.name, format, options);
  put = (robot, options) => this.client.robots.put(this.name, robot, options);
  change = (operations, options) => this.client.robots.change(this.name, operations, options);
  session = (request, options) => this.client.sessions.open({ robot: this.name, ...request }, options);
  delete = (options) => this.client.robots.delete(this.name, options);
  /** Any operation as a job: robot.submit("simulate", body). */
  submit(operation, body, options) {
    return this[operation](body, { ...options, prefer: "respond-async" });
  }
}

class Datasets {
  constructor(client) { this.client = client; }
  list = async (options) => (await this.client.request("GET", "/v1/datasets", options)).datasets;
  /** Upload CSV (text), numbers (Float64Array, NDArray), a Blob, bytes, a stream, or a function that makes one anew for each try. */
  put = (name, data, { type, format, delimiter, ifMatch, ifNoneMatch, ...options } = {}) => {
    const isNumbers = data instanceof Float64Array || data instanceof NDArray;
    const found = isNumbers ? NPY : typeof data === "string" ? "text/csv" : "application/octet-stream";
    const headers = { "Content-Type": type ?? found, ...conditions({ ifMatch, ifNoneMatch }) };
    const body = isNumbers ? encodeNpy(data) : data;
    return this.client.request("PUT", `/v1/datasets/${part(name)}`, { ...options, headers, body, query: { format, delimiter } });
  };
  get = (name, options) => this.client.request("GET", `/v1/datasets/${part(name)}`, { accept: JSON_TYPE, ...options });
  /** At most so many rows, each with the least and greatest value of its rows, for plots. */
  points = (name, points, options) => this.get(name, { ...options, query: { points } });
  /** The bytes that were uploaded, or those of `range`, [first, last]. */
  bytes = (name, { range, ...options } = {}) => {
    const headers = { Range: range && `bytes=${range[0]}-${range[1] ?? ""}` };
    return this.client.request("GET", `/v1/datasets/${part(name)}/content`, { ...options, headers, binary: true });
  };
  delete = (name, { ifMatch, ...options } = {}) => this.client.request("DELETE", `/v1/datasets/${part(name)}`, { ...options, headers: conditions({ ifMatch }) });
}

class Jobs {
  constructor(client) { this.client = client; }
  /** One page, newest first: {jobs, cursor}. Filters: state, kind, robot, older_than, newer_than; limit, cursor. */
  list = async (filters, options) => {
    const page = await this.client.request("GET", "/v1/jobs", { ...options, query: filters });
    return { ...page, jobs: page.jobs.map((job) => new Job(this.client, job)) };
  };
  /** All pages, job by job. */
  async *all(filters, options) {
    let cursor;
    do {
      const page = await this.list({ ...filters, cursor }, options);
      yield* page.jobs;
      cursor = page.cursor ?? undefined;
    } while (cursor);
  }
  get = (id, options) => this.client.job(id).refresh(options);
  /** Remove the finished jobs that match; a repeat would count others, so a lost connection is an error. */
  delete = (filters, options) => this.client.request("DELETE", "/v1/jobs", { again: false, ...options, query: filters });
}

class Sessions {
  constructor(client) { this.client = client; }
  list = async (options) => (await this.client.request("GET", "/v1/sessions", options)).sessions;
  open = async (request, options) => new Session(this.client, await this.client.operate("/v1/sessions", false, request, { ...options, again: false }));
  get = async (id, options) => new Session(this.client, await this.client.request("GET", `/v1/sessions/${part(id)}`, { accept: CBOR, ...options }));
}

/** A simulated robot that one's own controller drives: time passes only by `step`. `state` is that after the last one. */
export class Session {
  constructor(client, document) { Object.assign(this, { client, document, state: document.state }); }
  get id() { return this.document.id; }
  get path() { return `/v1/sessions/${part(this.id)}`; }
  async go(what, body, options) { return (this.state = await this.client.operate(`${this.path}/${what}`, false, body, options)); }
  /** Holds torques for one control period, or for `steps`. Sent again where an answer was lost: no second step is made. */
  step(tau, { steps = 1, ...options } = {}) { return this.go("step", { tau, steps, at_step: this.state.step }, options); }
  /** Back to a step: the same torques lead to the same bits again. */
  rewind(step = 0, options) { return this.go("rewind", { step }, options); }
  /** A second session, from the present or from {step}. */
  fork = async (request = {}, options) => new Session(this.client, await this.client.operate(`${this.path}/fork`, false, request, { ...options, again: false }));
  close(options) { return this.client.request("DELETE", this.path, options); }
}

const ENDED = ["succeeded", "failed", "cancelled"];

/** A job. `for await (const event of job)` follows it; `result()` waits for its end. */
export class Job {
  constructor(client, document, body) { Object.assign(this, { client, document, body }); }
  get id() { return this.document.id; }
  get kind() { return this.document.kind; }
  get state() { return this.document.state; }
  get progress() { return this.document.progress; }
  get done() { return ENDED.includes(this.state); }
  get path() { return `/v1/jobs/${part(this.id)}`; }
  refresh = async (options) => Object.assign(this, { document: await this.client.request("GET", this.path, options) });
  /** `state` and `progress` events from the first on, or after `lastEventId`, up to the end; `state` and `progress` follow. */
  async *events({ lastEventId, signal } = {}) {
    for await (const event of this.client.follow(`${this.path}/events`, lastEventId, signal)) {
      const { state, attempts, progress } = event.data;
      Object.assign(this.document, event.event === "state" ? { state, attempts } : { progress });
      yield event;
      if (event.event === "state" && this.done) return;
    }
  }
  [Symbol.asyncIterator]() { return this.events(); }
  /** The job at its end, however it ended. An abort leaves it running. */
  async wait({ signal, onProgress } = {}) {
    if (!this.done) for await (const event of this.events({ signal })) if (event.event === "progress") onProgress?.(this.progress, this);
    return this.refresh({ signal });
  }
  /** The result, awaited; throws the problem that the job ended with. `fields`: only these; `points`: for plots. */
  async result({ fields, points, plain, signal, onProgress } = {}) {
    await this.wait({ signal, onProgress });
    if (this.state !== "succeeded") {
      const ended = { type: "about:blank", status: 409, title: `The job was ${this.state}`, detail: this.id };
      throw new TorquedError(this.document.problem ?? ended, { request: this.body });
    }
    const accept = plain || points ? JSON_TYPE : CBOR;
    return this.client.request("GET", `${this.path}/result`, { signal, accept, query: { fields: fields?.join(","), points } });
  }
  /** One array of the result, or one attachment by its name. */
  field = (name, options) => this.client.request("GET", `${this.path}/result/${part(name)}`, { accept: `${NPY}, */*;q=0.5`, ...options });
  report = (options) => this.client.request("GET", `${this.path}/report`, options);
  /** What was asked, so that it can be asked again. */
  request = (options) => this.client.request("GET", `${this.path}/request`, options);
  cancel = async (options) => Object.assign(this, { document: await this.client.request("POST", `${this.path}/cancel`, { again: true, ...options }) });
  delete = (options) => this.client.request("DELETE", this.path, options);
}

for (const [words, of] of [[OF_ROBOTS, Robot], [OF_SERVICE, Client]]) {
  for (const [method, path, long] of words.split(",").map((word) => word.split(" "))) {
    of.prototype[method] = function (body, options) {
      const [client, base] = this instanceof Robot ? [this.client, `/v1/robots/${part(this.name)}`] : [this, "/v1"];
      return client.operate(`${base}/${path}`, Boolean(long), body, options);
    };
  }
}
