<?php
/*
Plugin Name: Events for gatectl cdn listen
Description: Signs and sends an event for each post that is published, updated, moved or withdrawn. Put it into wp-content/mu-plugins, and
  define GATECTL_EVENTS_URL and GATECTL_EVENTS_SECRET in wp-config.php.
*/
defined('ABSPATH') || exit;
if (!defined('GATECTL_EVENTS_URL') || !defined('GATECTL_EVENTS_SECRET')) return;

/** What the URLs of a post depend on. */
function gatectl_state(WP_Post $post): array {
    $terms = fn($taxonomy) => wp_get_post_terms($post->ID, $taxonomy, ['fields' => 'slugs']);
    return [
        'status' => $post->post_status,
        // Its former paths redirect somewhere, even while it is a draft.
        'moved' => (bool) get_post_meta($post->ID, '_wp_old_slug'),
        'permalink' => $post->post_status === 'publish' ? get_permalink($post) : null,
        'author' => get_the_author_meta('user_nicename', $post->post_author),
        'terms' => ['category' => $terms('category'), 'post_tag' => $terms('post_tag')],
    ];
}

/** Remembers what a post was before its first change in this request. */
function gatectl_changing(int $id): void {
    global $gatectl_before;
    $post = get_post($id);
    if (!$post || wp_is_post_revision($post) || !is_post_type_viewable($post->post_type)) return;
    $gatectl_before[$id] ??= ['type' => $post->post_type] + gatectl_state($post);
}
add_action('pre_post_update', 'gatectl_changing');
add_action('before_delete_post', 'gatectl_changing');
// Scheduled posts are published without an update.
add_action('transition_post_status', 'gatectl_transition', 10, 3);
add_action('wp_insert_post', fn($id, $post, $update) => $update || gatectl_created($post), 10, 3);

function gatectl_created(WP_Post $post): void {
    global $gatectl_before;
    if (wp_is_post_revision($post) || !is_post_type_viewable($post->post_type)) return;
    $gatectl_before[$post->ID] ??= ['type' => $post->post_type, 'status' => 'new'];
}

/** Remembers the former status of a post whose change was not announced. */
function gatectl_transition(string $status, string $before, WP_Post $post): void {
    global $gatectl_before;
    if ($status === $before || wp_is_post_revision($post) || !is_post_type_viewable($post->post_type)) return;
    if (isset($gatectl_before[$post->ID])) return;
    $old = clone $post;
    $old->post_status = $before;
    $gatectl_before[$post->ID] = ['type' => $post->post_type] + gatectl_state($old);
}

/** At the end of the request, when everything is stored: an event for each post that is or was public. */
add_action('shutdown', function () {
    global $gatectl_before;
    foreach ($gatectl_before ?? [] as $id => $before) {
        clean_post_cache($id);
        $post = get_post($id);
        $now = $post ? gatectl_state($post) : ['status' => 'deleted'];
        $wasPublic = $before['status'] === 'publish' || ($before['moved'] ?? false);
        if ($now['status'] !== 'publish' && !$wasPublic) continue;
        $event = ['post_id' => $id, 'post_type' => $before['type'], 'post_status' => $now['status'], 'was_public' => $wasPublic] + $now;
        foreach (['status', 'permalink', 'author', 'terms'] as $name) $event["previous_$name"] = $before[$name] ?? null;
        // It waits in the database until it is accepted.
        add_option('gatectl_event_' . wp_generate_uuid4(), wp_json_encode($event), '', false);
    }
    if ($gatectl_before) gatectl_send();
});

/** Sends what waits, in order; after a failure, again in a while. */
function gatectl_send(): void {
    global $wpdb;
    $waiting = "SELECT option_name, option_value FROM $wpdb->options WHERE option_name LIKE 'gatectl\\_event\\_%' ORDER BY option_id";
    foreach ($wpdb->get_results($waiting, ARRAY_A) as ['option_name' => $id, 'option_value' => $body]) {
        $time = time();
        $signature = base64_encode(hash_hmac('sha256', "$id.$time.$body", GATECTL_EVENTS_SECRET, true));
        $headers = ['Content-Type' => 'application/json', 'webhook-id' => $id];
        $headers += ['webhook-timestamp' => $time, 'webhook-signature' => "v1,$signature"];
        $response = wp_remote_post(GATECTL_EVENTS_URL, ['headers' => $headers, 'body' => $body, 'timeout' => 5]);
        $status = wp_remote_retrieve_response_code($response);
        // What is refused for good is not sent again.
        if ($status === 422 || intdiv((int) $status, 100) === 2) delete_option($id);
        else { wp_schedule_single_event($time + 10, 'gatectl_send'); return; }
    }
}
add_action('gatectl_send', 'gatectl_send');
