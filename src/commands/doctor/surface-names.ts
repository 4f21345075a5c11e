/** The gateway's APIs, as the settings for their prefixes name them. */
export const SURFACE_NAMES = ['subscriptions', 'cdn', 'bda-v1', 'bda-v2'] as const;
export type SurfaceName = (typeof SURFACE_NAMES)[number];
