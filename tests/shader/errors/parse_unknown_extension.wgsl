enable clip_distances;
