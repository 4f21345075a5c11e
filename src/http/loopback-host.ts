/** True for host names and addresses that mean this machine: `localhost` and names below it, 127.0.0.0/8, `[::1]`. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
