/** Where a version is reviewed. */
export const pathOf = ({ appId, version }: { appId: string; version: string }): string =>
  `/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;
