import { openVault, type VaultDeps } from './vault.ts';

/** Secrets of the client itself, such as keys of model providers. They are stored in the vault, apart from those of accounts. */
export type ClientSecrets = {
  /** Reads a secret; null when there is none. @throws RuntimeError `vault-locked`, `vault-damaged` */
  read(name: string): Promise<string | null>;
  /** Replaces a secret; null deletes it. Durable when it resolves. @throws as `read` */
  write(name: string, text: string | null): Promise<void>;
};

/** Opens the client's secrets in the vault of a folder. It cannot read secrets of accounts. */
export function openClientSecrets(deps: VaultDeps): ClientSecrets {
  const vault = openVault(deps);
  return {
    read: (name) => vault.read(['secret', 'client', name]),
    async write(name, text) {
      await vault.change(['secret', 'client', name], () => text);
    },
  };
}
