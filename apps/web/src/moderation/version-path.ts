/** The path of the review page of a version. */
export const pathOf = ({ appId, version }: { appId: string; version: string }): string =>
  `/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;
