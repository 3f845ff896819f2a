// SPDX-License-Identifier: Apache-2.0
// clients/javascript/torqued.d.ts - types of torqued.js: requests and answers are those of contract.generated.d.ts.
import type * as contract from "./contract.generated.js";

export type { contract };

/** What a request may hold where the contract has arrays of numbers. */
export type Request<T> = T extends number[]
  ? readonly number[] | Float64Array
  : T extends number[][]
    ? readonly (readonly number[])[] | readonly Float64Array[] | NDArray
    : T extends number[][][] | number[][][][]
      ? T | NDArray
      : T extends (infer U)[]
        ? readonly Request<U>[]
        : T extends object
          ? { [K in keyof T]: Request<T[K]> }
          : T;

/** What an answer holds: one Float64Array for a list of numbers, an NDArray for lists of lists. */
export type Answer<T> = T extends number[]
  ? Float64Array
  : T extends number[][] | number[][][] | number[][][][]
    ? NDArray
    : T extends (number | null)[]
      ? Float64Array | (number | null)[]
      : T extends (infer U)[]
        ? Answer<U>[]
        : T extends object
          ? { [K in keyof T]: Answer<T[K]> }
          : T;

export class NDArray {
  constructor(data: ArrayLike<number>, shape: Iterable<number>);
  static from(nested: ArrayLike<any>): NDArray;
  readonly data: Float64Array;
  readonly shape: number[];
  readonly length: number;
  /** The i-th row, a view: of rank two a Float64Array, else an NDArray of one rank less. */
  row(i: number): Float64Array & NDArray;
  [Symbol.iterator](): Generator<Float64Array & NDArray>;
  toJSON(): contract.Tensor;
}

export function encodeCbor(value: unknown): Uint8Array;
export function decodeCbor(bytes: Uint8Array): any;
export function encodeNpy(array: Float64Array | NDArray): Uint8Array;
export function decodeNpy(bytes: Uint8Array): Float64Array | NDArray;

/** A refusal, with its problem document. */
export class TorquedError extends Error {
  problem: contract.Problem;
  status: number;
  type: string;
  requestId?: string;
  errors: NonNullable<contract.Problem["errors"]>;
  /** Where in the request, what to change, and what is there. */
  pointer?: string;
  hint?: string;
  value?: unknown;
  /** Seconds. */
  retryAfter?: number;
}

/** No whole answer came, and trying again is over or not safe. */
export class ConnectionError extends Error {
  attempts: number;
  /** The Idempotency-Key that was sent: a later call with it meets the same job. */
  key?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string | undefined>;
}

export interface Options {
  token?: string | (() => string | Promise<string>);
  /** Name for Torqued-Client: keys belong to it, and clients take turns. */
  client?: string;
  headers?: Record<string, string>;
  /** How often a lost connection, 429 and 503 with Retry-After are tried again (5). */
  retries?: number;
  /** ms before the first retry without Retry-After; doubled each time (100). */
  retryDelay?: number;
  fetch?: typeof fetch;
}

export interface OperationOptions<Q = {}> extends CallOptions {
  /** Nested arrays of numbers instead of Float64Array and NDArray. */
  plain?: boolean;
  query?: Q;
  /** Idempotency-Key; jobs have one of their own otherwise. */
  key?: string;
  /** The header Prefer, such as "wait=30". */
  prefer?: string;
  /** 0 (first) to 7. */
  priority?: number;
  /** Seconds within which it must have begun. */
  deadline?: number;
  /** Makes it a job and follows it. */
  onProgress?: (progress: contract.Job["progress"], job: Job) => void;
}

type Call<T extends [unknown, unknown, unknown]> = {
  (body: Request<T[0]>, options: OperationOptions<T[2]> & { plain: true }): Promise<T[1]>;
  (body: Request<T[0]>, options?: OperationOptions<T[2]>): Promise<Answer<T[1]>>;
};
type RobotCalls = { [K in keyof contract.RobotOperations]: Call<contract.RobotOperations[K]> };
type ServiceCalls = { [K in keyof contract.ServiceOperations]: Call<contract.ServiceOperations[K]> };

export interface Robot extends RobotCalls {}
export class Robot {
  constructor(client: Client, name: string);
  readonly client: Client;
  readonly name: string;
  document(options?: CallOptions): Promise<contract.Robot>;
  urdf(options?: CallOptions): Promise<string>;
  export(format: RobotFormat, options?: CallOptions): Promise<string>;
  put(robot: RobotSource, options?: PutRobotOptions): Promise<contract.RobotReport>;
  change(operations: contract.RobotOperation[], options?: ChangeOptions): Promise<contract.RobotReport>;
  session(request: Request<Omit<contract.SessionRequest, "robot">>, options?: CallOptions): Promise<Session>;
  delete(options?: CallOptions & { ifMatch?: string }): Promise<void>;
  /** Any operation as a job. */
  submit<K extends keyof contract.RobotOperations>(
    operation: K,
    body: Request<contract.RobotOperations[K][0]>,
    options?: OperationOptions<contract.RobotOperations[K][2]>,
  ): Promise<Job<contract.RobotOperations[K][1]>>;
}

export type RobotFormat = "urdf" | "mjcf" | "sdf";
export interface ChangeOptions extends CallOptions {
  /** The name that the result is stored under; built-in robots need one. */
  as?: string;
  /** Nothing is stored: the report of what would be. */
  dryRun?: boolean;
  ifMatch?: string;
}

export type RobotSource = string | Blob | Uint8Array | contract.RobotDocument;
export interface PutOptions extends CallOptions {
  /** Digest that must be there, without quotes. */
  ifMatch?: string;
  /** "*": only if there is none. */
  ifNoneMatch?: string;
}
export interface PutRobotOptions extends PutOptions {
  format?: "urdf" | "mjcf" | "sdf" | "zip" | "document" | "json";
}

export type Numbers = string | Float64Array | NDArray | Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
export interface PutDatasetOptions extends PutOptions {
  type?: "text/csv" | "application/x-npy";
  format?: "csv" | "npy";
  delimiter?: "comma" | "semicolon" | "tab" | "space";
  onProgress?: (progress: { loaded: number; total: number }) => void;
}

export interface JobFilters {
  state?: string;
  kind?: string;
  robot?: string;
  older_than?: string;
  newer_than?: string;
}

export interface Event {
  id?: string;
  event: "state" | "progress";
  data: { job: string; state?: contract.Job["state"]; attempts?: number; at?: string; progress?: contract.Job["progress"] };
}
export interface FollowOptions {
  lastEventId?: string | number;
  signal?: AbortSignal;
}

export class Job<T = any> implements AsyncIterable<Event> {
  constructor(client: Client, document: Partial<contract.Job> & { id: string }, body?: unknown);
  document: contract.Job;
  readonly id: string;
  readonly kind: string;
  readonly state: contract.Job["state"];
  readonly progress: contract.Job["progress"];
  /** succeeded, failed or cancelled */
  readonly done: boolean;
  refresh(options?: CallOptions): Promise<this>;
  events(options?: FollowOptions): AsyncGenerator<Event>;
  [Symbol.asyncIterator](): AsyncGenerator<Event>;
  /** The job at its end, however it ended. */
  wait(options?: { signal?: AbortSignal; onProgress?: OperationOptions["onProgress"] }): Promise<this>;
  /** The result, awaited; throws the problem that the job ended with. */
  result(options: ResultOptions & { points: number }): Promise<contract.ResultPoints>;
  result(options: ResultOptions & { plain: true }): Promise<T>;
  result(options?: ResultOptions): Promise<Answer<T>>;
  field(name: string, options?: CallOptions): Promise<any>;
  report(options?: CallOptions): Promise<string>;
  request(options?: CallOptions): Promise<any>;
  cancel(options?: CallOptions): Promise<this>;
  delete(options?: CallOptions): Promise<void>;
}
export interface ResultOptions extends CallOptions {
  fields?: string[];
  points?: number;
  plain?: boolean;
  onProgress?: OperationOptions["onProgress"];
}

/** A simulated robot that one's own controller drives: time passes only by `step`. */
export class Session {
  constructor(client: Client, document: contract.Session);
  document: Answer<contract.Session>;
  /** After the last step. */
  state: Answer<contract.SessionState>;
  readonly id: string;
  /** Holds torques for one control period, or for `steps`. */
  step(tau: Request<contract.SessionStepRequest["tau"]>, options?: CallOptions & { steps?: number }): Promise<Answer<contract.SessionState>>;
  rewind(step?: number, options?: CallOptions): Promise<Answer<contract.SessionState>>;
  /** A second session, from the present or from {step}. */
  fork(request?: contract.SessionForkRequest, options?: CallOptions): Promise<Session>;
  /** Ends it. */
  close(options?: CallOptions): Promise<void>;
}

export type Body = string | Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
export interface RequestOptions extends CallOptions {
  body?: Body | (() => Body);
  query?: Record<string, string | number | boolean | undefined>;
  accept?: string;
  key?: string;
  /** A repeat changes nothing: of all methods but POST. */
  again?: boolean;
  retries?: number;
}

export interface Client extends ServiceCalls {}
export class Client {
  constructor(url?: string | URL, options?: Options);
  readonly url: string;
  readonly options: Options;
  robot(name: string): Robot;
  job(id: string): Job;
  readonly robots: {
    list(options?: CallOptions): Promise<contract.RobotList["robots"]>;
    put(name: string, robot: RobotSource, options?: PutRobotOptions): Promise<contract.RobotReport>;
    get(name: string, options?: CallOptions): Promise<contract.Robot>;
    urdf(name: string, options?: CallOptions): Promise<string>;
    export(name: string, format: RobotFormat, options?: CallOptions): Promise<string>;
    change(name: string, operations: contract.RobotOperation[], options?: ChangeOptions): Promise<contract.RobotReport>;
    delete(name: string, options?: CallOptions & { ifMatch?: string }): Promise<void>;
  };
  readonly datasets: {
    list(options?: CallOptions): Promise<(contract.DatasetRow | contract.DamagedDatasetRow)[]>;
    put(name: string, data: Numbers | (() => Numbers), options?: PutDatasetOptions): Promise<contract.Dataset>;
    get(name: string, options?: CallOptions): Promise<contract.Dataset>;
    points(name: string, points: number, options?: CallOptions): Promise<contract.DatasetPoints>;
    bytes(name: string, options?: CallOptions & { range?: [number, number?] }): Promise<Uint8Array>;
    delete(name: string, options?: CallOptions & { ifMatch?: string }): Promise<void>;
  };
  readonly jobs: {
    list(filters?: JobFilters & { limit?: number; cursor?: string }, options?: CallOptions): Promise<{ jobs: Job[]; cursor: string | null }>;
    all(filters?: JobFilters & { limit?: number }, options?: CallOptions): AsyncGenerator<Job>;
    get(id: string, options?: CallOptions): Promise<Job>;
    delete(filters: JobFilters & { dry_run?: boolean }, options?: CallOptions): Promise<contract.JobsDeleted>;
  };
  readonly sessions: {
    list(options?: CallOptions): Promise<contract.SessionList["sessions"]>;
    open(request: Request<contract.SessionRequest>, options?: CallOptions): Promise<Session>;
    get(id: string, options?: CallOptions): Promise<Session>;
  };
  /** Changes of state and progress of all jobs, without a gap where a connection is lost. */
  events(options?: FollowOptions): AsyncGenerator<Event>;
  request(method: string, path: string, options?: RequestOptions): Promise<any>;
  version(options?: CallOptions): Promise<{ name: "torqued"; version: string }>;
  index(options?: CallOptions): Promise<contract.Index>;
  health(options?: CallOptions): Promise<contract.State>;
  live(options?: CallOptions): Promise<contract.State>;
  nodes(options?: CallOptions): Promise<contract.NodeList["nodes"]>;
  drainNode(name: string, options?: CallOptions): Promise<contract.Node>;
  resumeNode(name: string, options?: CallOptions): Promise<contract.Node>;
  ready(options?: CallOptions): Promise<contract.State>;
  metrics(options?: CallOptions): Promise<string>;
  contract(options?: CallOptions): Promise<any>;
  docs(options?: CallOptions): Promise<string>;
  problems(options?: CallOptions): Promise<contract.ProblemList>;
  problem(slug: string, options?: CallOptions): Promise<contract.ProblemType>;
  backup(options?: CallOptions): Promise<Response>;
  beginSession(options?: CallOptions): Promise<void>;
  endSession(options?: CallOptions): Promise<void>;
  ticket(options?: CallOptions): Promise<{ ticket: string; expires_in_s: number }>;
}
