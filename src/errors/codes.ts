/**
 * Every error code that gatectl prints, by kind, with what it means. Scripts branch on codes: once released, a code is
 * neither renamed nor reused. Only help pages load this module; everything else imports its types.
 */
export const ERROR_CODES = {
  usage: {
    invalid_usage: 'an option, an argument or their combination is not valid',
    unknown_command: 'the command does not exist',
    unknown_option: 'the option does not exist',
    missing_argument: 'a required argument or option is missing',
    unexpected_argument: 'the command accepts fewer arguments',
    missing_setting: 'a required setting is missing, such as the base URL or the domain',
    invalid_value: 'the value of an option or argument is not valid',
    conflicting_options: 'options cannot be combined',
    invalid_input: 'an input file, or stdin, is not in the expected format',
    invalid_request: 'fields of the request are not valid; details lists them',
    unknown_profile: 'the profile does not exist',
    unknown_name: 'the alias, setting, report, segment, column or query does not exist',
    ambiguous_name: 'the name belongs to several segments',
    name_exists: 'the name is already in use',
    key_on_command_line: 'an API key on the command line, where other users can see it',
    key_not_for_gateway: 'the stored key belongs to another gateway',
    insecure_url: 'the API key, or the credentials and rows of a sync, would be sent unencrypted',
    not_trusted: 'a file of a repository sends or writes something to a place that the user has not trusted',
    superseded_unit: 'the unit of a sync was planned before its table was written with another query',
    read_only: 'the command or request would change something, and only reads are allowed',
    denied: 'a policy does not allow the change, or its plan cannot be applied',
    confirmation_required: 'the command requires confirmation, or it was declined',
    cannot_resume: 'the interrupted work does not match the command, or there is none',
    not_convertible: 'the v1 request cannot be converted to a v2 query',
    impact_exceeded: 'cdn purge: the pages have more page views than --max-impact allows',
    impact_unknown: 'cdn purge --max-impact: some pages, or the site, have no page views to measure',
    output_too_large: 'too many rows for this output format',
    locked: 'another process is using the same files',
    destination_unusable:
      'the destination of a sync or export is not usable: no such database or bucket, a table of another program, or a server that is too old',
    missing_dependency: 'the command requires a package that is not installed',
  },
  auth: {
    no_key: 'no API key is configured',
    key_unreadable: 'the configured API key could not be read',
    key_not_received: 'the gateway received no API key',
    unauthorized: 'the API rejected the key (401)',
    forbidden: 'the key has no access to the resource (403)',
    destination_login: 'the destination of a sync or export rejected the credentials, or there are none',
    destination_forbidden: 'the user lacks a right in the destination of a sync or export',
    engine_rejected: 'the queue of --engine rejected the user or the password',
  },
  api: {
    rejected: 'the API rejected the request',
    not_found: 'the API does not know the resource (404)',
    validation_error: 'the API rejected fields of the request; details lists them',
  },
  network: {
    dns_failed: 'the host name could not be resolved',
    connection_refused: 'the server refused the connection',
    connection_reset: 'the connection was lost before the response was complete',
    timeout: 'the server did not respond in time',
    tls_failed: 'the TLS handshake failed, or the certificate is not trusted',
    proxy_failed: 'the proxy refused the connection',
    service_unavailable: 'the service was unavailable after all retries',
    upstream_error: 'a service behind the API failed after all retries',
    internal_error: 'the API reported an internal error after all retries',
    address_space_exhausted: 'the limit on address space is too low to start the HTTP parser',
    too_many_open_files: 'the limit on open files was reached',
    engine_unreachable: 'the queue of --engine cannot be reached or used',
    network_error: 'the request failed for another reason',
    destination_unreachable:
      'the destination of a sync or export cannot be reached, or the connection was lost',
    destination_failed: 'the destination of a sync or export failed to execute a request',
  },
  invalid_response: {
    invalid_http: 'the response is not valid HTTP',
    invalid_json: 'the response is empty or not valid JSON',
    invalid_utf8: 'the response is not valid UTF-8',
    html_response: 'the response is a web page',
    redirect: 'the server redirects, which gatectl does not follow',
    partial_content: 'the server sent only a part of the response (206)',
    unexpected_encoding: 'the response is compressed, although the request did not allow it',
    broken_encoding: 'the compressed data of the response is truncated or damaged',
    unexpected_status: 'the response has a success status that its API does not use',
    unexpected_shape: 'the response lacks the expected fields',
    malformed_rows: 'the rows of the response are truncated or malformed',
    too_many_rows: 'the response has more rows than requested',
    response_too_large: 'the response exceeds the size limit',
    no_decision: 'the response to an access check has no decision',
  },
  partial: {
    drift_exceeded: 'access audit: more readers than --max-drift do not match the list',
    product_unknown: 'access audit: the site does not have a product of the list',
    partial_failure: 'some items failed; the output lists them',
    stale_pages: 'cdn purge --verify: pages were stale after the purge',
    contract_broken: 'bda sync: rows break a rule of the sync file for the types or the tests of a table',
    rows_incomplete: 'rows or columns are missing, or may be (--strict)',
    page_repeated: 'the server ignores the offset and returns the same rows again',
    lossy_migration: 'a migrated query loses something (--strict)',
    results_differ: 'v1 and v2 return different results',
    results_unverified: 'v1 and v2 could not be compared completely',
    queue_emptied: 'bda sync worker: the queue lost its units, for example because its server was emptied',
  },
  rate_limit: {
    rate_limit_exceeded: 'the rate limit was still exceeded after all retries',
    concurrent_request_limit: 'the limit on concurrent requests was still exceeded after all retries',
  },
  file: {
    file_error: 'a file operation failed for another reason',
    file_not_found: 'the file, or its folder, does not exist',
    file_exists: 'a file or folder with this name exists',
    permission_denied: 'the user may not read or write the file',
    no_reader: 'no process reads the pipe',
    not_a_file: 'the path is a folder, or not a regular file',
    disk_full: 'the disk or quota is full, or the file exceeds the size limit',
    invalid_file: 'a file of gatectl is damaged: profiles, checkpoint or journal',
    damaged_key: 'the key that hashes readers in stored results is damaged',
    damaged_ledger: 'the record of what a sync has stored of a site is damaged',
    damaged_lake: 'the format or the column types that a sync has recorded in its lake are damaged',
    program_replaced: 'gatectl was updated or removed while it ran',
    newer_version: 'the destination of a sync was written by a newer version of gatectl',
    unsafe_file: 'the file belongs to another user',
    unrepresentable_value:
      'a value cannot be stored in the format of the file, or in the destination of a sync',
  },
  interrupted: {
    interrupted: 'interrupted by Ctrl-C (SIGINT)',
    terminated: 'terminated by SIGTERM',
    aborted: 'the program that uses the client library aborted the call',
  },
  internal: {
    internal: 'a bug in gatectl',
  },
} as const;

/** The kind of an error, which determines the exit code. `internal` is any error that gatectl did not expect. */
export type ErrorKind = Exclude<keyof typeof ERROR_CODES, 'internal'>;

/** The codes of one kind, or of all. */
export type ErrorCode<Kind extends ErrorKind = ErrorKind> = {
  [K in Kind]: Extract<keyof (typeof ERROR_CODES)[K], string>;
}[Kind];
