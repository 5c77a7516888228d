import { createHash } from "node:crypto";
import type { OperationDefinition } from "../../contract/operation.ts";
import { AppError } from "../../errors.ts";
import { ApiError, type CallOptions, type ContractClient, createClient, readError } from "../../service/client.ts";
import { contract, definitionOf, type OperationName, type Output, type RequestInput } from "../../service/contract.ts";
import { parseOperationInput } from "../../service/parse-input.ts";
import { ClientError } from "../client-error.ts";
import type { StreamedForm } from "../upload-file/form-stream.ts";
import { discoverServer, type RemoteServer } from "./discover-server.ts";
import { fetchWithinLimits, type ResponseLimits, requestStream } from "./fetch-within-limits.ts";
import { readEvents } from "./read-events.ts";
import { retryWhileRateLimited } from "./retry-while-rate-limited.ts";
import { OTHER_VERSION, toServerError } from "./server-error.ts";

/** The operations of a filehost over HTTP, with the same outputs and errors as calls within a process. */
export interface RemoteApi {
  /** Calls an operation. Rejects with the server's error as an AppError, with UNAVAILABLE, or with the signal's reason. */
  call<Name extends OperationName>(name: Name, input: RequestInput<Name>, options?: CallOptions): Promise<Output<Name>>;
  /**
   * Yields the events of an operation, until the server ends the stream or sends nothing for a minute. Rejects like `call`; throws UNAVAILABLE when
   * the connection breaks.
   */
  listen<Name extends OperationName>(name: Name, input: RequestInput<Name>, options?: CallOptions): AsyncGenerator<EventOf<Name>>;
  /**
   * Calls an operation with a form that is made while it is sent, so it cannot be repeated. Closes the form when the request ends. Rejects like
   * `call`, and with UNAVAILABLE if the server refused a token that was then replaced: another form can be sent.
   */
  sendForm<Name extends OperationName>(name: Name, form: StreamedForm, options?: FormOptions): Promise<Output<Name>>;
  /** Finds the hosts of the server. Rejects with UNAVAILABLE. */
  findHosts(): Promise<readonly string[]>;
  /** Finds the server. Rejects with UNAVAILABLE, RATE_LIMITED, or the signal's reason. */
  discoverServer(signal?: AbortSignal): Promise<RemoteServer>;
  /** Returns a text that distinguishes servers and accounts, without the key. */
  identify(): string;
}

interface FormOptions extends CallOptions {
  /** Another URL of the same server. */
  readonly url?: URL;
}

/** The data of one event of an operation. */
type EventOf<Name extends OperationName> = Output<Name> extends AsyncIterable<infer Event> | undefined ? Event : never;

interface RemoteOptions {
  /** The address that the user named, without a trailing slash. */
  readonly url: string;
  /** Returns the key. It is read for each call, and only sent to the API of this address. */
  readonly key: () => string | undefined | Promise<string | undefined>;
  /** Gets a new key after the server refused one; undefined if there is no other. Default: there is none. */
  readonly renew?: (refused: string) => Promise<string | undefined>;
  /**
   * Receives the reason of a wait, or an empty text when it ends. Without it, the search for the server and calls without a signal fail if the server
   * has had too many requests, instead of waiting. Calls with a signal are repeated by their callers.
   */
  readonly onWait?: (reason: string) => void;
  readonly limits?: ResponseLimits;
  /** Rewords an error of the server for the user of this API. Default: unchanged. */
  readonly reword?: (error: AppError) => Promise<AppError>;
  /** Returns a text that distinguishes accounts: the key, or a value that stays the same while tokens are replaced. */
  readonly account: () => string;
}

/** Creates the API. The server is found at the first call, and then remembered. */
export function createRemoteApi({ url, key, renew, account, onWait, limits, reword }: RemoteOptions): RemoteApi {
  let found: Promise<RemoteServer> | undefined;
  /** The key that the server accepted last. */
  let accepted: string | undefined;
  const wait = <T>(act: () => Promise<T>): Promise<T> => (onWait === undefined ? act() : retryWhileRateLimited(act, onWait));
  const find = (signal?: AbortSignal): Promise<RemoteServer> => {
    found ??= wait(() => discoverServer(url, limits)).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return untilAborted(found, signal);
  };
  return {
    discoverServer: find,
    findHosts: async () => (await find()).hosts,
    identify: () => createHash("sha256").update(`${url}\n${account()}`).digest("hex"),
    async call(name, input, options) {
      // The client checks all fields, as the server does, because the fields of paths and queries have no types in the request.
      parseOperationInput(definitionOf(name), input);
      const signal = options?.signal;
      const { apiUrl } = await find(signal);
      const send = (): Promise<unknown> => request(apiUrl, (client) => client.call(name, input, options), signal);
      return readOutput(name, await (signal === undefined ? wait(send) : send()));
    },
    async *listen(name, input, options) {
      parseOperationInput(definitionOf(name), input);
      const { apiUrl } = await find(options?.signal);
      const response = await request(
        apiUrl,
        (client) => client.open(name, input, options),
        options?.signal,
        (request) => requestStream(request, limits),
      );
      const { events } = contract[name] as OperationDefinition;
      for await (const data of readEvents(response, options?.signal)) {
        const parsed = events?.data.safeParse(data);
        if (!parsed?.success) throw unknownResponse();
        yield parsed.data as EventOf<typeof name>;
      }
    },
    async sendForm(name, form, options) {
      try {
        return await sendOpenForm(name, form, options);
      } finally {
        form.close();
      }
    },
  };

  async function sendOpenForm<Name extends OperationName>(
    name: Name,
    { contentType, body }: StreamedForm,
    { signal, url, idempotencyKey }: FormOptions = {},
  ): Promise<Output<Name>> {
    const { apiUrl } = await find();
    const target = url ?? new URL(apiUrl + contract[name].path);
    const headers = new Headers({ Accept: "application/json", "Content-Type": contentType });
    const sent = await findAcceptedKey(apiUrl, signal ?? undefined);
    if (sent !== undefined) {
      if (target.origin !== new URL(apiUrl).origin) throw new Error(`A key is only sent to ${new URL(apiUrl).origin}.`);
      headers.set("Authorization", `Bearer ${sent}`);
    }
    if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
    const response = await fetchWithinLimits(
      target,
      { method: "POST", headers, body, signal: signal ?? null, duplex: "half" } as RequestInit,
      limits,
    );
    if (response.status === 401 && sent !== undefined && (await renew?.(sent)) !== undefined)
      throw new AppError("UNAVAILABLE", "The server refused a token, which has been replaced. Run the command again.");
    if (!response.ok) throw await toOwnWords(await readError(response));
    return readOutput(name, await response.json().catch(() => undefined));
  }

  /** Finds the key of a form, which cannot be sent again with another key. A key that can be replaced is tried first. */
  async function findAcceptedKey(apiUrl: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const sent = await key();
    if (sent === undefined || renew === undefined || sent === accepted) return sent;
    await request(apiUrl, (client) => client.call("getMe", {}, { signal }), signal);
    return await key();
  }

  /** Sends a request with the key, and once more if the key was replaced. */
  async function request<T>(
    apiUrl: string,
    send: (client: ContractClient) => Promise<T>,
    signal: AbortSignal | undefined,
    fetch: (request: Request) => Promise<Response> = (request) => fetchWithinLimits(request, {}, limits),
  ): Promise<T> {
    const sendWith = (key: string | undefined): Promise<T> =>
      send(createClient({ baseUrl: apiUrl, fetch, ...(key !== undefined && { key }) })).then(
        (response) => {
          accepted = key;
          return response;
        },
        async (error: unknown) => {
          signal?.throwIfAborted();
          throw error instanceof ApiError ? await toOwnWords(error) : error;
        },
      );
    const sent = await key();
    return await sendWith(sent).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
      if (sent === undefined) throw signInRequired(error);
      const renewed = await renew?.(sent);
      if (renewed === undefined) throw error;
      return await sendWith(renewed);
    });
  }

  function readOutput<Name extends OperationName>(name: Name, response: unknown): Output<Name> {
    const { envelope, output } = contract[name] as { envelope?: string; output: (typeof contract)[Name]["output"] };
    const parsed = output.safeParse(envelope === undefined ? response : (response as { data?: unknown } | undefined)?.data);
    if (parsed.success) return parsed.data as Output<Name>;
    if ((response as { secretsWithheld?: unknown } | undefined)?.secretsWithheld === true) throw withheld();
    throw unknownResponse();
  }

  async function toOwnWords(error: ApiError): Promise<AppError> {
    const received = toServerError(error);
    return reword === undefined ? received : await reword(received);
  }

  /** Replaces the API's advice to programs with advice for users of the client. */
  function signInRequired(error: AppError): AppError {
    const [reason = ""] = /^[^.]*\./.exec(error.message) ?? [error.message];
    return new ClientError("UNAUTHENTICATED", reason, { cause: error, advice: [{ kind: "signIn", server: url }] });
  }

  function unknownResponse(): AppError {
    return new AppError("UNAVAILABLE", `The server at ${url} sent a response that this version does not know. Install the same version.`, {
      cause: OTHER_VERSION,
    });
  }
}

/**
 * Returns the error for a response to a request that another credential of the account made first (idempotency, "Secrets of a repeated response").
 */
const withheld = (): AppError =>
  new AppError(
    "IDEMPOTENCY_KEY_REUSED",
    "This was begun with another key or sign-in of the account, which alone is given its secrets. Use that one, or begin anew.",
  );

/** Settles with `work`; rejects with the signal's reason when the signal aborts. */
const untilAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  signal === undefined
    ? work
    : new Promise((resolve, reject) => {
        const abort = (): void => reject(signal.reason);
        if (signal.aborted) abort();
        signal.addEventListener("abort", abort);
        work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
      });
