/** Default time limits per request, in seconds. A purge of a whole domain takes long. */
export const DEFAULT_TIMEOUT_S = 30;
export const CDN_TIMEOUT_S = 60;
