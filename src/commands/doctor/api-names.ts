/** The gateway's APIs, as the settings for their prefixes name them. */
export const API_NAMES = ['subscriptions', 'cdn', 'bda-v1', 'bda-v2'] as const;
export type ApiName = (typeof API_NAMES)[number];
