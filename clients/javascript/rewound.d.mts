// The types of the client. What its methods take and return is in contract.d.mts, which is generated.

import type * as contract from "./contract.mjs";

/** An object of JSON. */
export type Json = Record<string, unknown>;
/** `key`: the idempotency key; `wait`: seconds that one request waits; `version`: refuse unless this is the newest commit's number; `decided: false`: accept a `pending` answer. */
export type Sending = { key?: string; wait?: number; version?: number; decided?: boolean; signal?: AbortSignal };
/** How one request is read. */
export type Reading = { wait?: number; signal?: AbortSignal };
/** A command as an object, for example one that is made of an offer and choices. */
export type AnyCommand = contract.Command | { type: string; [member: string]: unknown };
/** One event of a stream. */
export type StreamEvent =
  | { event: "commit"; id: string | null; data: contract.CommitView }
  | { event: "heartbeat"; id: string | null; data: contract.Heartbeat }
  | { event: "reset"; id: string | null; data: contract.Reset }
  | { event: "continued"; id: string | null; data: contract.Continuation };
/** Members of a query; those that are undefined are left out. */
export type Query = Record<string, string | number | boolean | undefined>;

/** A query in which a flag is `true`, not the text of it. */
export type Flags<Of> = Omit<Of, "events"> & { events?: boolean };

/** Return the values of a choice. A cell is `[x, y]`, a path is the list of the cells that are entered. */
export function valuesOf(choice: contract.Choice): unknown[];
export function withLists(options: contract.Options): contract.Options;

/** Return the commands that commit to a choice and open it; keep `open` until it is asked for. `encounter` is the id in the hashes of the dice. */
export function seal(
  encounter: string, seat: string, prompt: { prompt: string; creature: string }, choice: object, salt?: string,
): Promise<{ seal: contract.Heartrush1SealChoice; open: contract.Heartrush1OpenChoice }>;

/** Where a key is kept, such as `localStorage`. */
export type KeyStorage = {
  getItem(name: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(name: string, value: string): unknown;
};

/** The secret key of a seat (Ed25519). Anyone who has it speaks for the seat, so keep it to yourself. */
export class SeatKey {
  private constructor();
  /** 64 hexadecimal digits; store them to sign with the same key later. */
  secret: string;
  /** The public key, as the service takes it: 64 hexadecimal digits. */
  public: string;
  static of(secret: string): Promise<SeatKey>;
  static make(): Promise<SeatKey>;
  /** Return the key in a storage; if it has none, make a key and store it there. */
  static keptIn(storage: KeyStorage, name: string): Promise<SeatKey>;
  sign(message: Uint8Array<ArrayBuffer>): Promise<string>;
}

/** The seat has another key than the given one; the gm can replace it. */
export class OtherKey extends Error {
  constructor(seat: string, key: string);
}

/** The service answered with a receipt that is not signed, or is not about the answer. */
export class FalseReceipt extends Error {
  constructor(detail: string, receipt: Json);
  receipt: Json;
}

/** The service answered with a problem document (RFC 9457). */
export class Problem extends Error {
  constructor(status: number, data: Partial<contract.Problem>);
  status: number;
  type: string | null;
  code: string | null;
  title: string | null;
  detail: string | null;
  rule: string | null;
  n: number | null;
  data: Partial<contract.Problem>;
}

/** No answer after all tries: the outcome of the request is unknown; look it up by `key`. */
export class Unreachable extends Error {
  constructor(url: string, key?: string, cause?: unknown);
  key: string | undefined;
}

/** A caller of a service, with an API key or a seat token. */
export class Client {
  constructor(url: string, token?: string, how?: { fetch?: typeof fetch; tries?: number });
  url: string;
  token: string | undefined;
  as(token: string): Client;
  open(opening: contract.Opening, sending?: Sending): Promise<Encounter & { opened: contract.OpenedEncounter }>;
  encounter(id: string): Encounter;
  /** Return the body at a path, of the type that you say. */
  get<Body = unknown>(path: string, query?: Query, how?: Reading): Promise<Body>;
  /** Send any other request and return the body of its answer, of the type that you say. */
  send<Body = unknown>(method: string, path: string, data?: unknown, sending?: Sending & { query?: Query; type?: string }): Promise<Body>;
  fetch(path: string, query?: Query, how?: { headers?: Record<string, string>; signal?: AbortSignal }): Promise<Response>;

  encounters(query?: Pick<contract.ListEncountersQuery, "status" | "edition" | "ruleset">): AsyncGenerator<contract.Encounters["encounters"][number], void>;
  apiKeys(): Promise<contract.ApiKey[]>;
  makeApiKey(data: contract.NewApiKey, sending?: Sending): Promise<contract.ApiKeyWithText>;
  rotateApiKey(key: string, data?: contract.Rotation, sending?: Sending): Promise<contract.ApiKeyWithText>;
  endApiKey(key: string, sending?: Sending): Promise<contract.ApiKey>;
  usage(): Promise<contract.Usage>;
  usageOf(owner: string): Promise<contract.Usage>;
  changeQuotas(owner: string, data: contract.OwnerQuotas, sending?: Sending): Promise<contract.Usage>;
  resetQuotas(owner: string, sending?: Sending): Promise<contract.Usage>;
  signingKeys(): Promise<contract.Keys["keys"]>;
  webhooks(): Promise<contract.Webhook[]>;
  addWebhook(data: contract.NewWebhook, sending?: Sending): Promise<contract.WebhookWithSecret>;
  webhook(id: string): Promise<contract.Webhook>;
  changeWebhook(id: string, data: contract.WebhookChange, sending?: Sending): Promise<contract.Webhook>;
  endWebhook(id: string, sending?: Sending): Promise<contract.Webhook>;
  deliveries(id: string): AsyncGenerator<contract.Delivery, void>;
  retryDelivery(id: string, delivery: string, sending?: Sending): Promise<contract.Delivery>;
  takeBundle(bundle: string | Uint8Array<ArrayBuffer> | Blob, how?: { keys?: string[]; signal?: AbortSignal }): Promise<contract.Import>;
  imports(): AsyncGenerator<contract.Import, void>;
  imported(id: string): Promise<contract.Import>;
  simulate(opening: contract.Opening, how?: Omit<contract.SimulationRequest, "opening"> & { signal?: AbortSignal }): Promise<contract.Simulation>;
  simulation(id: string): Promise<contract.Simulation>;
  rulesets(): Promise<contract.Rulesets["rulesets"]>;
  ruleset(edition: string): Promise<contract.Ruleset>;
  library(edition: string, query?: { kind?: string; q?: string; limit?: number }): Promise<contract.Library["entries"]>;
  editionContract(edition: string): Promise<string>;
  sheetSchema(edition: string): Promise<contract.SheetSchema>;
  importFile(file: string | Uint8Array<ArrayBuffer> | Blob, asked: { edition: string; kind: "map" | "creatures"; [choice: string]: string }, sending?: Sending): Promise<contract.ConvertedFile>;
  qrCode(text: string, sending?: Sending): Promise<contract.QrCode>;
  commands(edition: string): Promise<contract.CommandTypes>;
  rule(edition: string, rule: string): Promise<contract.Rule>;
}

/** One encounter, as its caller's seat sees it. */
export class Encounter {
  constructor(client: Client, id: string);
  client: Client;
  id: string;
  path: string;
  as(token: string): Encounter;
  about(): Promise<contract.Encounter>;
  /** Return the encounter as a seat, the caller's own, which signs every command with a key from now on. */
  signing(seat: string, key: SeatKey): Promise<Encounter>;
  replaceSeatKey(seat: string, key: string | null, sending?: Sending): Promise<contract.Outcome>;
  /** Return the same encounter, which passes on the receipt of every command that is answered with one. */
  keeping(keep: (receipt: contract.Receipt) => unknown, how?: { key?: string }): Encounter;
  token(seat: string, sending?: Sending & { publicKey?: string }): Promise<string>;
  send(command: AnyCommand, sending?: Sending): Promise<contract.Outcome>;
  send(commands: AnyCommand[], sending?: Sending & { continueOnRefusal?: boolean }): Promise<contract.Outcomes>;
  outcome(n: number, asked?: Reading): Promise<contract.Outcome>;
  settled(key: string, asked?: Reading): Promise<contract.OutcomeOrOutcomes>;
  options(query?: contract.GetOptionsQuery): Promise<contract.Options>;
  state(query?: contract.GetStateQuery): Promise<contract.State>;
  creatures(query?: contract.ListCreaturesQuery): Promise<contract.CreatureToken[]>;
  sheet(creature: string, query?: contract.GetCreatureSheetQuery): Promise<contract.CreatureSheet["groups"]>;
  carried(creature: string, query?: contract.GetCarriedCharacterQuery): Promise<contract.Carried["carried"]>;
  shareSeat(seat: string, data?: contract.NewShareLink, sending?: Sending): Promise<contract.ShareLink>;
  creatureChanges(query?: contract.ListCreatureChangesQuery): AsyncGenerator<contract.CreatureChanges["changes"][number], void>;
  creatureStatistics(query?: contract.GetCreatureStatisticsQuery): Promise<contract.CreatureStatistics>;
  map(query?: contract.GetMapQuery): Promise<contract.BattleMap>;
  commits(query?: contract.ListCommitsQuery): AsyncGenerator<contract.Commit, void>;
  stream(how?: { after?: number; line?: string; text?: string; signal?: AbortSignal; connected?: (isConnected: boolean) => void }): AsyncGenerator<StreamEvent, void>;
  ticket(how?: { after?: number; line?: string; text?: string }): Promise<string>;
  lines(): Promise<contract.Lines["lines"]>;
  explanation(n: number): Promise<contract.Explanation>;
  audit(how?: contract.AuditRequest & { signal?: AbortSignal }): Promise<contract.Audit>;
  bundle(): Promise<string>;
  close(reason?: string, sending?: Sending): Promise<contract.Outcome>;

  seats(): Promise<contract.Seat[]>;
  seat(seat: string): Promise<contract.Seat>;
  openSeat(data: contract.NewSeat, sending?: Sending): Promise<contract.SeatWithToken>;
  changeSeat(seat: string, creatures: string[], sending?: Sending): Promise<contract.Seat>;
  closeSeat(seat: string, sending?: Sending): Promise<contract.Seat>;

  preview(command: AnyCommand): Promise<contract.Preview>;
  rounds(): Promise<contract.Rounds["rounds"]>;
  round(round: number): Promise<contract.Round>;
  replay(round: number, query?: Flags<contract.ReplayRoundQuery>): Promise<contract.Replay>;
  rolls(query?: contract.ListRollsQuery): AsyncGenerator<contract.Roll, void>;
  statistics(): Promise<contract.RollStatistics>;
  diff(query: Flags<contract.GetDiffQuery>): Promise<contract.Difference>;
  audits(): AsyncGenerator<contract.Audit, void>;
  audited(id: string): Promise<contract.Audit>;
  checkpoint(): Promise<contract.Checkpoint>;
  checkpoints(): AsyncGenerator<contract.Checkpoint, void>;
  remove(bundle: string, sending?: Sending): Promise<contract.Removal>;
  removal(): Promise<contract.Removal>;

  contest(data: contract.NewContest, sending?: Sending): Promise<contract.Contest>;
  contests(query?: contract.ListContestsQuery): Promise<contract.Contest[]>;
  contested(id: string, query?: contract.GetContestQuery): Promise<contract.Contest>;
  rule(id: string, data: contract.ContestRuling, sending?: Sending): Promise<contract.Contest>;
  undo(data: contract.NewUndo, sending?: Sending): Promise<contract.Amendment>;
  redo(data?: contract.NewRedo, sending?: Sending): Promise<contract.Amendment>;
  amendment(id: string): Promise<contract.Amendment>;
  accept(id: string, version: number, sending?: Sending): Promise<contract.Amendment>;
  drop(id: string, sending?: Sending): Promise<contract.Amendment>;
  fork(at: number, commands?: AnyCommand[], sending?: Sending): Promise<Encounter>;
  forks(): Promise<contract.ListedFork[]>;
  deleteFork(fork: string, sending?: Sending): Promise<contract.ListedFork>;
}
