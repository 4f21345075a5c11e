import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';

const PLUGIN = resolve('examples/wordpress/gatectl-events.php');
const HAS_PHP = spawnSync('php', ['--version']).status === 0;

/** The functions of WordPress that the plug-in calls, for one post. */
const WORDPRESS = `<?php
class WP_Post { public $ID = 7; public $post_type = 'post'; public $post_status; public $post_author = 1; }
$post = new WP_Post;
$actions = [];
function add_action($name, $call, $priority = 10, $count = 1) { $GLOBALS['actions'][$name][] = [$call, $count]; }
function act($name, ...$given) { foreach ($GLOBALS['actions'][$name] ?? [] as [$call, $count]) $call(...array_slice($given, 0, $count)); }
function get_post($id) { return $GLOBALS['post']; }
function get_permalink($post) { return 'http://www.example.com/trams/'; }
function get_post_meta(...$_) { return ''; }
function get_the_author_meta(...$_) { return 'anna'; }
function wp_get_post_terms(...$_) { return []; }
function wp_is_post_revision($post) { return false; }
function is_post_type_viewable($type) { return true; }
function clean_post_cache($id) {}
function wp_generate_uuid4() { return uniqid(); }
function wp_json_encode($value) { return json_encode($value); }
function add_option($name, $value, ...$_) { echo $value, "\\n"; }
$wpdb = new class { public $options = ''; function get_results(...$_) { return []; } };
define('ABSPATH', '/');
define('ARRAY_A', 'ARRAY_A');
`;
const SECRETS =
  "define('GATECTL_EVENTS_URL', 'http://127.0.0.1:9/'); define('GATECTL_EVENTS_SECRET', 'x');\n";

/** What a request of WordPress with the plug-in prints: its events, a line each. */
function printed(steps: string, defined = SECRETS) {
  const file = join(temporaryFolder(), 'request.php');
  writeFileSync(file, `${WORDPRESS}${defined}require '${PLUGIN}';\n${steps}\nact('shutdown'); echo 'end';`);
  const lines = execFileSync('php', [file], { encoding: 'utf8' }).split('\n');
  return { isAtEnd: lines.pop() === 'end', events: lines.map(line => JSON.parse(line)) };
}

describe.skipIf(!HAS_PHP)('the plug-in for WordPress', () => {
  const scheduled =
    "$post->post_status = 'publish'; act('transition_post_status', 'publish', 'future', $post);";

  test('sends one event for a scheduled post that is published, and for an update', () => {
    expect(printed(scheduled).events).toMatchObject([
      {
        ...{ post_id: 7, post_status: 'publish', previous_status: 'future', previous_permalink: null },
        permalink: 'http://www.example.com/trams/',
      },
    ]);
    const update = `$post->post_status = 'draft'; act('pre_post_update', 7); ${scheduled}`;
    expect(printed(update.replaceAll('future', 'draft')).events).toMatchObject([
      { previous_status: 'draft' },
    ]);
  });

  test('sends nothing where nothing public changed, and leaves the site alone without its settings', () => {
    const draft = "$post->post_status = 'draft'; act('transition_post_status', 'draft', 'future', $post);";
    expect(printed(draft)).toEqual({ isAtEnd: true, events: [] });
    expect(printed(scheduled, '')).toEqual({ isAtEnd: true, events: [] });
  });
});
