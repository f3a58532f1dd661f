/** What automation asks of the demonstration's store. Everything has to succeed. */
export type Automation = {
  addPublisher(publisher: { slug: string; name: string; verified: boolean }): Promise<void>;
  /** Uploads a bundle, and lets it pass as a moderator would. @returns which version it is */
  publish(bundle: Uint8Array): Promise<{ appId: string; version: string }>;
  yank(ref: { appId: string; version: string }, reason: string): Promise<void>;
};

type Published = { appId: string; version: string; status: string };

/** @param token a bearer with every role */
export function automationOf(store: string, token: string): Automation {
  async function ask(path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const answer = await fetch(store + path, { method: 'POST', headers, body });
    if (!answer.ok)
      throw new Error(`The store answers ${path} with ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
  const at = ({ appId, version }: { appId: string; version: string }) =>
    `/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;
  return {
    addPublisher: async (publisher) => {
      await ask('/api/admin/publishers', JSON.stringify(publisher));
    },
    async publish(bundle) {
      const bytes = bundle as Uint8Array<ArrayBuffer>;
      const made = (await ask('/api/apps/publish', bytes, 'application/zip')) as Published;
      if (made.status === 'in_review') await ask(`/api/moderation/apps${at(made)}/approve`, '{}');
      return made;
    },
    yank: async (ref, reason) => {
      await ask(`/api/apps${at(ref)}/yank`, JSON.stringify({ reason }));
    },
  };
}
