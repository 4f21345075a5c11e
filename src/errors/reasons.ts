/** Each reason with the facts that advice about it needs, if any. None is a sentence, and none quotes a server. */
export interface ReasonFacts {
  alias_is_empty: null;
  compared_column_taken: null;
  /** `bare` is the domain above it. */
  domain_not_bare: { readonly bare: string | undefined };
  earlier_types: null;
  empty_reply: null;
  engine_password: { readonly isRedis: boolean };
  export_changed: { readonly partial: string; readonly rows: number };
  key_as_setting: null;
  key_of_other_gateway: { readonly before?: string; readonly origin?: string };
  /** One of these was expected; `what` names them in the plural. */
  known: { readonly what: string; readonly values: readonly string[] };
  long_manifest_key: null;
  name_taken: null;
  no_audit_then: { readonly days: readonly string[] };
  no_audit_to_resume: null;
  no_base_url_for_key: null;
  no_days: null;
  no_config_folder: { readonly of: 'profiles' | 'queries' };
  no_engine: { readonly examples: string };
  no_profiles_file: null;
  no_reply: {
    readonly situation: string;
    readonly language: string;
    readonly languages: readonly string[];
  };
  no_shard: { readonly scheduler: string };
  no_shard_count: { readonly variable: string | undefined };
  not_resumable: null;
  nothing_to_resume: null;
  plain_destination: { readonly kind: 'clickhouse' | 'postgres' | 's3' };
  plain_gateway: { readonly url?: string };
  queue_without_units: null;
  requires_own_file: null;
  rows_without_columns: null;
  /** A document that others may read has a setting with such a name. */
  secret_in_file: null;
  shards_changed: null;
  shards_with_gaps: null;
  /** A name that is nearly the one that was typed. */
  similar: { readonly meant: string };
  site_column_taken: null;
  site_not_cached: null;
  sql_copies: null;
  sql_of_unknown_table: null;
  sql_opens_file: null;
  sql_without_rows: null;
  superseded_unit: null;
  table_without_rows: null;
  token_as_address: null;
  too_many_connections: null;
  too_many_cells: null;
  too_many_products: null;
  too_many_rows: null;
  too_many_rows_of_section: null;
  unit_of_other_file: null;
  unit_of_other_query: null;
  units_set_aside: { readonly ofOtherFile: number; readonly others: number };
  unknown_query: {
    readonly query: string;
    readonly saved: readonly string[];
    readonly elsewhere: 'user' | 'project' | undefined;
  };
  unknown_data_set: null;
  unknown_scheduler: { readonly variables: readonly string[] };
  /** `close` are similar names of sites. */
  unknown_site: { readonly close: readonly string[] };
  unreadable_token_key: null;
  view_of_column: null;
  weekdays_of_months: null;
}

/**
 * Why an error occurred, where its code is too coarse to say what to type. Only `src/cli` turns it into words, so that programs which
 * import the library see no commands and flags.
 */
export type Reason = {
  [Name in keyof ReasonFacts]: ReasonFacts[Name] extends null
    ? Name
    : { readonly name: Name } & ReasonFacts[Name];
}[keyof ReasonFacts];
