/** Each reason with the facts that advice about it needs, if any. None is a sentence, and none quotes a server. */
export interface ReasonFacts {
  alias_is_empty: null;
  empty_reply: null;
  engine_password: { readonly isRedis: boolean };
  export_changed: { readonly partial: string; readonly rows: number };
  key_as_setting: null;
  key_of_other_gateway: { readonly before?: string; readonly origin?: string };
  name_taken: null;
  no_base_url_for_key: null;
  no_config_folder: { readonly of: 'profiles' | 'queries' };
  no_engine: { readonly examples: string };
  no_profiles_file: null;
  no_shard: { readonly scheduler: string };
  no_shard_count: { readonly variable: string | undefined };
  not_resumable: null;
  nothing_to_resume: null;
  plain_destination: { readonly kind: 'clickhouse' | 'postgres' | 's3' };
  plain_gateway: { readonly url?: string };
  queue_without_units: null;
  requires_own_file: null;
  rows_without_columns: null;
  shards_with_gaps: null;
  site_is_moving: null;
  sql_copies: null;
  sql_of_unknown_table: null;
  sql_opens_file: null;
  sql_without_rows: null;
  superseded_unit: null;
  table_without_rows: null;
  token_as_address: null;
  too_many_connections: null;
  too_many_products: null;
  unit_of_other_file: null;
  unit_of_other_query: null;
  units_set_aside: { readonly ofOtherFile: number; readonly others: number };
  unknown_query: {
    readonly query: string;
    readonly saved: readonly string[];
    readonly elsewhere: 'user' | 'project' | undefined;
  };
  unknown_scheduler: { readonly variables: readonly string[] };
  unreadable_token_key: null;
  view_of_column: null;
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
