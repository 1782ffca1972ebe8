fnn main() {}
