import {
  type ClientCapabilities,
  type CreateMessageRequestParams,
  createRequestStateCodec,
  type ElicitRequest,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { guarded } from '@svc/contracts/guarded';
import type { CallProgress, System } from '@svc/runtime';
import { orAborted } from '@svc/runtime/parts';

/** Increment of a keep-alive notification. MCP requires progress to increase each time; it must not look like the tool's own. */
const KEEP_ALIVE_STEP = 0.001;

/** Creates the progress notifications of a call. @param request that the agent waits for now: a call can span several */
function progressOf(request: () => ServerContext['mcpReq']) {
  let last = 0;
  const tokenOf = () => request()._meta?.progressToken;
  function send(progress: number, rest: { total?: number; message?: string }): void {
    const token = tokenOf();
    if (token === undefined) return;
    last = progress;
    const params = { progressToken: token, progress, ...rest };
    // If the agent has disconnected, its signal ends the call.
    request()
      .notify({ method: 'notifications/progress', params })
      .catch(() => undefined);
  }
  return {
    /** Whether the agent requested progress. */
    wanted: () => tokenOf() !== undefined,
    /** Forwards progress of the tool. */
    tool: ({ progress, ...rest }: CallProgress) => send(Math.max(progress, last + KEEP_ALIVE_STEP), rest),
    /** Reports that the call waits for something else. */
    waiting: (message: string) => send(last + KEEP_ALIVE_STEP, { message }),
  };
}

/** Progress notifications of a call. */
type Progress = ReturnType<typeof progressOf>;

/** Longest wait for an answer of the agent's client, in milliseconds. */
export const ANSWER_MS = 10 * 60_000;
/** Most calls at the same time, and of those the most that wait between two requests of agents: an app takes 16 calls. */
const MAX_CALLS = 64;
const MAX_PARKED = 12;

type ElicitParams = ElicitRequest['params'];
type Elicited = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> | undefined };
type Sampled = Awaited<ReturnType<ServerContext['mcpReq']['requestSampling']>>;

/** A request of an agent, and what its client can be asked while it runs. */
export type AgentCall = {
  capabilities: ClientCapabilities;
  progress: Progress;
  /** Aborted when the agent cancels the call or disconnects. */
  signal: AbortSignal;
  /** Asks the user in the agent's client (MCP, "Elicitation"). Null if the client fails. */
  elicit(params: ElicitParams, signal: AbortSignal): Promise<Elicited | null>;
  /** Asks the agent's model (MCP, "Sampling"). */
  sample(params: CreateMessageRequestParams, signal: AbortSignal): Promise<Sampled>;
  /** Sends an entry of a log, if the agent asked for its level. */
  log: ServerContext['mcpReq']['log'];
};

/** Serves one request of an agent. */
export type ServeCall = <T extends Result>(
  server: Server,
  context: ServerContext,
  work: (call: AgentCall) => Promise<T>,
) => Promise<T | InputRequiredResult>;

/** A call of MCP 2025-11-25 and earlier: the client gets questions as requests, on the stream of the call. */
export const serveInSession: ServeCall = (server, { mcpReq }, work) =>
  work({
    capabilities: server.getClientCapabilities() ?? {},
    progress: progressOf(() => mcpReq),
    signal: mcpReq.signal,
    async elicit(params, signal) {
      const answer = await mcpReq.elicitInput(params, { signal, timeout: ANSWER_MS }).catch(() => null);
      signal.throwIfAborted();
      return answer;
    },
    sample: (params, signal) => mcpReq.requestSampling(params, { signal, timeout: ANSWER_MS }),
    log: mcpReq.log,
  });

type Question = { request: InputRequest; answered: (view: ReturnType<typeof inputResponse>) => void };

type Exchange = {
  /** The request of the agent that waits for the call now, or waited last. */
  context: ServerContext;
  result: Promise<Result>;
  ended: AbortController;
  questions: Map<string, Question>;
  /** Resolves when a question waits. */
  asked: PromiseWithResolvers<null>;
  /** How often the agent was asked, so that no two states are the same. */
  rounds: number;
  /** Ends the wait between two requests. */
  parked: AbortController | null;
};

/**
 * Serves calls of MCP 2026-07-28 ("Multi Round-Trip Requests"): a question ends the request, and the client sends it again with the
 * answers. The call itself goes on meanwhile, since the server of a connector may be waiting for the answer. The signed state names it; a
 * client that invents, changes or keeps a state gets an error, and nothing is done.
 */
export function serveRoundTrips(system: Pick<System, 'randomBytes' | 'sleep'>) {
  const exchanges = new Map<string, Exchange>();
  const codec = createRequestStateCodec<{ id: string; round: number }>({
    key: system.randomBytes(32),
    ttlSeconds: ANSWER_MS / 1000,
    bind: ({ mcpReq }) => mcpReq.method,
  });

  function ask(exchange: Exchange, request: InputRequest, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof inputResponse>>();
    const key = Buffer.from(system.randomBytes(9)).toString('base64url');
    exchange.questions.set(key, { request, answered: resolve });
    exchange.asked.resolve(null);
    return orAborted(signal, promise).finally(() => exchange.questions.delete(key));
  }

  const callOf = (server: Server, exchange: Exchange): AgentCall => ({
    capabilities: server.getClientCapabilities() ?? {},
    progress: progressOf(() => exchange.context.mcpReq),
    signal: exchange.ended.signal,
    async elicit(params, signal) {
      const { elicitationId: _of2025, ...rest } = params as ElicitParams & { elicitationId?: string };
      const view = await ask(
        exchange,
        { method: 'elicitation/create', params: rest as ElicitParams },
        signal,
      );
      return view.kind === 'elicit' ? view : null;
    },
    async sample(params, signal) {
      const view = await ask(exchange, { method: 'sampling/createMessage', params }, signal);
      if (view.kind === 'sampling') return view.result;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The answer is no message.');
    },
    log: (...entry) => exchange.context.mcpReq.log(...entry),
  });

  function begin(
    server: Server,
    context: ServerContext,
    work: (call: AgentCall) => Promise<Result>,
  ): [string, Exchange] {
    if (exchanges.size >= MAX_CALLS)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'Too many calls wait for answers.');
    const exchange: Exchange = {
      ...{ context, ended: new AbortController(), questions: new Map(), parked: null, rounds: 0 },
      asked: Promise.withResolvers(),
      result: Promise.resolve({}),
    };
    exchange.result = work(callOf(server, exchange));
    // It may fail while no request waits for it.
    exchange.result.catch(() => undefined);
    const id = Buffer.from(system.randomBytes(18)).toString('base64url');
    exchanges.set(id, exchange);
    return [id, exchange];
  }

  /** Gives the answers of the next request to a call that waits. */
  function resume(id: string, context: ServerContext): Exchange {
    const exchange = exchanges.get(id);
    if (!exchange)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'This call has ended. Call again, without requestState.',
      );
    exchange.parked?.abort();
    exchange.context = context;
    exchange.asked = Promise.withResolvers();
    for (const [key, { answered }] of [...exchange.questions]) {
      const view = inputResponse(context.mcpReq.inputResponses, key);
      if (view.kind !== 'missing') {
        exchange.questions.delete(key);
        answered(view);
      }
    }
    if (exchange.questions.size > 0) exchange.asked.resolve(null);
    return exchange;
  }

  /** Ends calls whose clients do not come back: each after its time, and the first where many wait. */
  function park(id: string, exchange: Exchange): void {
    const parked = new AbortController();
    exchange.parked = parked;
    const giveUp = (given: string, { ended }: Exchange) => {
      exchanges.delete(given);
      ended.abort(new ProtocolError(ProtocolErrorCode.InvalidRequest, 'No answer came.'));
    };
    system.sleep(ANSWER_MS, parked.signal).then(
      () => giveUp(id, exchange),
      () => undefined,
    );
    const waiting = [...exchanges].filter(([, one]) => one.parked?.signal.aborted === false);
    const [first] = waiting;
    if (!first || waiting.length <= MAX_PARKED) return;
    first[1].parked?.abort();
    giveUp(...first);
  }

  const serve = async (
    server: Server,
    context: ServerContext,
    work: (call: AgentCall) => Promise<Result>,
  ): Promise<Result> => {
    const state = context.mcpReq.requestState<{ id: string }>();
    const [id, exchange] = state ? [state.id, resume(state.id, context)] : begin(server, context, work);
    const { signal } = context.mcpReq;
    const cancel = guarded(() => {
      if (exchange.context === context) exchange.ended.abort(signal.reason);
    });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const result = await Promise.race([exchange.result, exchange.asked.promise]);
      if (result !== null) {
        exchanges.delete(id);
        return result;
      }
      exchange.rounds += 1;
      park(id, exchange);
      const requests = [...exchange.questions].map(([key, { request }]) => [key, request]);
      return inputRequired({
        inputRequests: Object.fromEntries(requests),
        requestState: await codec.mint({ id, round: exchange.rounds }, context),
      });
    } catch (error) {
      exchanges.delete(id);
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
  return {
    serve: serve as ServeCall,
    /** For `requestState` in the options of a server. */
    requestState: { verify: codec.verify },
    /** Ends all calls that wait. */
    stop(): void {
      for (const { ended, parked } of exchanges.values()) {
        parked?.abort();
        ended.abort();
      }
      exchanges.clear();
    },
  };
}
