import { SERVER } from './server.js';

/** What the server answered when it did not do as asked. `status` is that of HTTP; 0 when it was not reached. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * The board as the server has it.
 * @param token gives a fresh token; asked for with each request, so that none lies about
 */
export function createBoardApi(token) {
  async function ask(path, init = {}) {
    const headers = { ...init.headers, authorization: `Bearer ${await token()}` };
    const answer = await fetch(SERVER + path, { ...init, headers }).catch(() => {
      throw new ApiError(0, 'The server of the board cannot be reached.');
    });
    if (answer.ok) return answer;
    const { message } = await answer.json().catch(() => ({}));
    throw new ApiError(answer.status, message ?? `The server answers with ${answer.status}.`);
  }

  return {
    list: async (kind) => (await (await ask(`/api/pins${kind ? `?kind=${kind}` : ''}`)).json()).pins,
    picture: async (id) => (await ask(`/api/pictures/${encodeURIComponent(id)}`)).blob(),
    pinNote: (text) =>
      ask('/api/notes', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      }),
    pinPicture: (blob) => ask('/api/pictures', { method: 'POST', body: blob }),
    remove: (id) => ask(`/api/pins/${encodeURIComponent(id)}`, { method: 'DELETE' }),
  };
}
