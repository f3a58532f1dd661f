export function copyText(text: string, button: Element): Promise<boolean>;
export const NOT_COPIED: string;
