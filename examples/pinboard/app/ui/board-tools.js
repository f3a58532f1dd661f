import { ApiError } from './board-api.js';

/**
 * The board through the tools of the app, for browsers in which panels cannot get tokens: the client calls the tools with the token. It
 * asks before pictures are pinned and before a pin is removed, as in a chat.
 */
export function createBoardTools(host) {
  async function call(tool, args = {}, files = {}) {
    const { isError, content, structuredContent } = await host.callTool(tool, args, files);
    if (isError) throw new ApiError(0, content[0]?.text ?? 'The board did not do it.');
    return structuredContent;
  }

  return {
    list: async (kind) => (await call('list_pins', kind ? { kind } : {})).pins,
    picture: async () => {
      throw new ApiError(0, 'Pictures are shown in Chromium and Chrome 152 and newer.');
    },
    pinNote: (text) => call('pin_note', { text }),
    /** Pins files that the user picked in the client, with one approval for all of them. */
    pinPicked: (files) => call('pin_pictures', {}, { pictures: files.map(({ id }) => id) }),
    remove: (id) => call('remove_pin', { id }),
  };
}
