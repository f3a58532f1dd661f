/**
 * Whether a refusal of a message may be that of a server of the transport before. With 400 and others, servers of Streamable HTTP refuse
 * messages too, which have a stream for GET: then the address must have the usual name.
 */
export const mayBeOlder = (status: number, url: string): boolean =>
  status === 404 ||
  status === 405 ||
  ([400, 406, 411, 415, 422].includes(status) && /\/sse\/?$/i.test(new URL(url).pathname));

/**
 * Says that a server has only the HTTP+SSE transport of 2024-11-05: it refuses POST, and answers GET with a stream of events (MCP, "Backwards
 * Compatibility").
 * @returns null for any other server
 */
export async function sseOnly(
  send: (url: string, init: RequestInit) => Promise<Response>,
  url: string,
): Promise<string | null> {
  const response = await send(url, { method: 'GET', headers: { Accept: 'text/event-stream' } }).catch(
    () => null,
  );
  await response?.body?.cancel();
  const isStream = /^text\/event-stream\b/i.test(response?.headers.get('content-type') ?? '');
  if (!response?.ok || !isStream) return null;
  return `${new URL(url).host} has only the HTTP+SSE transport of 2024-11-05 at this address, and apps need Streamable HTTP. Use its address for that, which often ends with /mcp, or ask the operator of the server to offer it.`;
}
