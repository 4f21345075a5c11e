import { json, type SandboxReply } from '../../routing.ts';

/** Thrown while a v1 request is read; becomes `{ "Success": false, "Error": … }`, as the CDN API has it. */
export class Refused extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** The answer to a refused request. */
export function refusedReply({ status, message }: Refused): SandboxReply {
  return json(status, { Success: false, Error: message });
}
