/** Each reason with the facts that advice about it needs, if any. None is a sentence, and none quotes a server. */
export interface ReasonFacts {
  alias_is_empty: null;
  alias_of_command: null;
  alias_without_command: { readonly first: string; readonly commands: readonly string[] };
  allowed_characters: { readonly characters: string };
  ambiguous_column: null;
  compared_column_taken: null;
  compared_with_itself: null;
  damaged_by_pasting: null;
  /** `bare` is the domain above it. */
  domain_not_bare: { readonly bare: string | undefined };
  denied: {
    readonly denials: readonly {
      readonly policy: string;
      readonly rule: string | undefined;
      readonly reason: string;
    }[];
  };
  earlier_types: null;
  empty_reply: null;
  engine_password: { readonly isRedis: boolean };
  export_changed: {
    readonly changes: readonly {
      readonly name: string;
      readonly before: string | undefined;
      readonly now: string | undefined;
    }[];
    readonly partial: string;
    readonly rows: number;
  };
  inconsistent_store: null;
  key_as_setting: null;
  key_of_other_gateway: { readonly before?: string; readonly origin?: string };
  /** One of these was expected; `what` names them in the plural. */
  known: { readonly what: string; readonly values: readonly string[] };
  list_not_utf8: null;
  long_manifest_key: null;
  name_taken: null;
  no_audit_then: { readonly days: readonly string[] };
  no_audit_to_resume: null;
  no_base_url_for_key: null;
  no_days: null;
  no_config_folder: { readonly of: 'profiles' | 'queries' };
  no_engine: { readonly examples: string };
  /** `what` is a value of the list, such as a domain; `usual` the usual name of its column. */
  no_list_column: { readonly usual: string; readonly what: string };
  no_profiles_file: null;
  no_reply: {
    readonly situation: string;
    readonly language: string;
    readonly languages: readonly string[];
  };
  no_shard: { readonly scheduler: string };
  no_shard_count: { readonly variable: string | undefined };
  no_url_column: null;
  /** `form` is how a filter is written. */
  not_a_filter: { readonly text: string; readonly form: string };
  not_a_proxy: null;
  not_a_session_token: null;
  not_a_sitemap: null;
  not_a_time: null;
  not_a_token: null;
  not_a_unit: null;
  not_an_address: null;
  /** The value of a flag that takes a few words. */
  not_one_of: { readonly flag: string; readonly given: string; readonly words: readonly string[] };
  not_resumable: null;
  not_utf8: null;
  nothing_to_resume: null;
  object_lock_lost: null;
  plain_destination: { readonly kind: 'clickhouse' | 'postgres' | 's3' };
  plain_gateway: { readonly url?: string };
  quarantined: null;
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
  unclosed_quote: null;
  unit_of_other_file: null;
  unit_of_other_query: null;
  units_set_aside: { readonly ofOtherFile: number; readonly others: number };
  units_of_several_plans: null;
  unknown_column: { readonly typed: string; readonly columns: readonly string[] };
  unknown_list_column: { readonly columns: readonly string[] };
  /** `path` is the file that lists the names, where there is one. */
  unknown_name: {
    readonly typed: string;
    readonly what: 'aliases' | 'profiles' | 'settings';
    readonly existing: readonly string[];
    readonly path?: string;
  };
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
  workbook_as_text: null;
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
