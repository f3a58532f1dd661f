import { SERVER } from './server.js';

/** An error response of the server. `status` is the HTTP status; 0 when the server was not reached. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * The API of the board.
 * @param token returns a fresh token; called for each request, so that the page stores none
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
