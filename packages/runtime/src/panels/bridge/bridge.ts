import { inBackground } from '@svc/contracts/guarded';
import { z } from 'zod';
import { asRefusal, RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { createTokenBucket } from '../../platform/token-bucket.ts';
import { BRIDGE_LIMITS, type CloseReason, ERROR_CODES } from './messages.ts';

const Id = z.union([z.string().max(64), z.int()]);

const Request = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: Id,
  method: z.string().max(100),
  params: z.unknown().optional(),
});
const Notification = Request.omit({ id: true });
const Response = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: Id,
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

const Cancelled = z.looseObject({ requestId: Id });

/** A method that a panel may call: the schema of its parameters, and its handler. */
export type Method = {
  params: z.ZodType;
  answer(params: unknown, signal: AbortSignal): unknown;
};

/** Combines a parameter schema with a typed handler. */
export const method = <Params extends z.ZodType>(
  params: Params,
  answer: (params: z.output<Params>, signal: AbortSignal) => unknown,
): Method => ({ params, answer: (value, signal) => answer(value as z.output<Params>, signal) });

export type BridgeDeps = {
  system: Pick<System, 'now'>;
  /** By name. A map, so that no name matches an inherited property. */
  methods: ReadonlyMap<string, Method>;
  notified(name: string, params: unknown): void;
  send(text: string): void;
  /** Called when the panel exceeded a limit. */
  limitExceeded(reason: CloseReason): void;
  /** Called with unexpected errors. The panel gets no details of them. */
  onFault(error: unknown): void;
};

type Failure = { code: number; message: string; data?: { code: string } };

const FAILURES = {
  parse: { code: ERROR_CODES.parse, message: 'The message is not JSON.' },
  request: { code: ERROR_CODES.invalidRequest, message: 'The message is not JSON-RPC 2.0.' },
  again: { code: ERROR_CODES.invalidRequest, message: 'A request with this id is already pending.' },
  method: { code: ERROR_CODES.unknownMethod, message: 'There is no such method.' },
  internal: { code: ERROR_CODES.internal, message: 'Something went wrong in the client.' },
} satisfies Record<string, Failure>;

/** An expected error, with the default message of its code: a message from elsewhere could contain information that the panel must not get. */
const refusal = (code: RuntimeError['code']): Failure => ({
  code: ERROR_CODES.refused,
  message: new RuntimeError(code).message,
  data: { code },
});

const invalidParams = (error: z.ZodError): Failure => {
  const [issue] = error.issues;
  const where = issue?.path.join('.') || 'params';
  return {
    code: ERROR_CODES.invalidParams,
    message: `${where}: ${issue?.message ?? 'not valid'}`.slice(0, 300),
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Handles the messages of one panel. All of them are untrusted: each message is checked for size before it is parsed, and validated
 * before it is handled. Its sender is the holder of the other end of the channel, whatever the message says.
 */
export function createBridge(deps: BridgeDeps) {
  const underWay = new Map<string | number, AbortController>();
  const pending = new Map<string | number, () => void>();
  const bucket = createTokenBucket(BRIDGE_LIMITS.messages, deps.system.now);
  let open = true;
  let lastId = 0;

  const send = (message: object): void => {
    if (open) deps.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  };
  const fail = (id: string | number | null, error: Failure): void => send({ id, error });

  async function settle(
    id: string | number,
    method: Method,
    params: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const result = await method.answer(params, signal);
      send({ id, result: result ?? {} });
    } catch (error) {
      if (signal.aborted) return;
      const refused = asRefusal(error);
      if (refused) return fail(id, refusal(refused.code));
      fail(id, FAILURES.internal);
      deps.onFault(error);
    }
  }

  async function answer({ id, method: name, params }: z.output<typeof Request>): Promise<void> {
    if (underWay.has(id)) return fail(id, FAILURES.again);
    if (underWay.size >= BRIDGE_LIMITS.requestsInFlight) return fail(id, refusal('too-many'));
    const handler = deps.methods.get(name);
    if (!handler) return fail(id, FAILURES.method);
    const checked = handler.params.safeParse(params ?? {});
    if (!checked.success) return fail(id, invalidParams(checked.error));
    const controller = new AbortController();
    underWay.set(id, controller);
    await settle(id, handler, checked.data, controller.signal);
    underWay.delete(id);
  }

  function handleNotification(name: string, params: unknown): void {
    const cancelled = name === 'notifications/cancelled' ? Cancelled.safeParse(params) : undefined;
    if (cancelled?.success) underWay.get(cancelled.data.requestId)?.abort();
    deps.notified(name, params);
  }

  function read(message: unknown): void {
    const request = Request.safeParse(message);
    const notification = Notification.safeParse(message);
    const response = Response.safeParse(message);
    if (request.success) inBackground(answer(request.data), deps.onFault);
    else if (notification.success) handleNotification(notification.data.method, notification.data.params);
    else if (response.success) pending.get(response.data.id)?.();
    else fail(null, message === undefined ? FAILURES.parse : FAILURES.request);
  }

  return {
    receive(text: unknown) {
      if (!open) return;
      if (typeof text !== 'string' || text.length > BRIDGE_LIMITS.messageChars) {
        deps.limitExceeded('message-too-large');
      } else if (!bucket.take()) deps.limitExceeded('flooded');
      else read(parse(text));
    },
    notify: (name: string, params: unknown) => send({ method: name, params }),
    /** Sends a request to the panel; resolves with any response, also an error. */
    request(name: string, params: unknown) {
      lastId += 1;
      const id = lastId;
      return new Promise<void>((resolve) => {
        pending.set(id, () => {
          pending.delete(id);
          resolve();
        });
        send({ id, method: name, params });
      });
    },
    /** Aborts pending requests; afterwards nothing is sent or accepted. */
    close() {
      open = false;
      for (const controller of underWay.values()) controller.abort();
      underWay.clear();
      for (const done of [...pending.values()]) done();
    },
  };
}

/** The runtime's end of a panel's channel. */
export type Bridge = ReturnType<typeof createBridge>;
