/** The rules of a v2 query as documented, checked on its JSON: what is wrong with it, one line each. */
export function queryProblems(json: string): string[] {
  const query = JSON.parse(json);
  const problems: string[] = [];
  const must = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };
  const known =
    'data_set date_range dimensions metrics filters sort limit offset domain_id platform url_options'.split(
      ' ',
    );
  must(
    Object.keys(query).every(name => known.includes(name)),
    'unknown field',
  );
  must(typeof query.data_set === 'string' && query.data_set !== '', 'data_set');
  const { start_date: start, end_date: end } = query.date_range ?? {};
  for (const day of [start, end])
    must(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day, `date ${day}`);
  must(start <= end, 'date order');
  const columns = [...(query.dimensions ?? []), ...(query.metrics ?? [])];
  must(columns.length > 0, 'no columns');
  must(
    columns.every(name => typeof name === 'string' && name !== ''),
    'column name',
  );
  must(new Set(columns).size === columns.length, 'column twice');
  const times = columns.filter(name => /^report_(day|week|month)$/.test(name));
  must(new Set(times).size === times.length, 'time twice');
  for (const { column, direction } of query.sort ?? []) {
    must(columns.includes(column), `sort by ${column}`);
    must(['asc', 'desc'].includes(direction), `sort ${direction}`);
  }
  for (const filter of query.filters ?? []) {
    must(typeof filter.column === 'string' && filter.column !== '', 'filter column');
    const listed = filter.operator === 'in';
    must(
      listed || ['greater_than', 'greater_than_or_equal'].includes(filter.operator),
      `operator ${filter.operator}`,
    );
    must('value' in filter !== 'values' in filter, 'value and values');
    must('values' in filter === listed, 'values without in');
    const values = listed ? filter.values : [filter.value];
    must(Array.isArray(values) && values.length > 0, 'no values');
    must(
      values.every((value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)),
      'value type',
    );
  }
  must(Number.isInteger(query.limit) && query.limit >= 1 && query.limit <= 100_000, `limit ${query.limit}`);
  must(query.offset === undefined || (Number.isInteger(query.offset) && query.offset >= 0), 'offset');
  must(query.domain_id === undefined || Number.isInteger(query.domain_id), 'domain_id');
  must(
    query.platform === undefined || ['service', 'original', 'all'].includes(query.platform),
    `platform ${query.platform}`,
  );
  for (const [name, word] of Object.entries(query.url_options ?? {})) {
    must(['query_params', 'fragments'].includes(name), `url option ${name}`);
    must(['include', 'exclude'].includes(String(word)), `url option ${word}`);
  }
  return problems;
}
